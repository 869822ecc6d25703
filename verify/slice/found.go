package slice

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Controllers whose configuration is looked for among the manifests.
const (
	foundDescheduler = "descheduler"
	foundScheduler   = "scheduler"
	foundAutoscaler  = "cluster autoscaler"
)

// Concerns are texts that stand in every object by which one release says something about
// the others: the configurations of controllers.
func Concerns() []string {
	return []string{policies.DeschedulerKind, policies.SchedulerKind, autoscalerName, policies.NodePoolGroup + "/"}
}

// found is a controller's own configuration that was found among the manifests.
type found struct {
	controller, release string
	at                  object.Location
	lines               map[string]int // of its fields, in the file
	descheduler         *state.Descheduler
	scheduler           *state.Scheduler
	autoscaler          *state.ClusterAutoscalerFlags
	object              string            // that runs the cluster autoscaler
	flags               map[string]string // of its command line, by name; "" where no value is given
}

// same reports whether two configurations ask for the same.
func (f *found) same(o *found) bool {
	if f == nil || o == nil {
		return f == o
	}
	return reflect.DeepEqual(f.descheduler, o.descheduler) && reflect.DeepEqual(f.scheduler, o.scheduler) &&
		reflect.DeepEqual(f.autoscaler, o.autoscaler)
}

// where is the place of a configuration: "charts/web/policy.yaml:12".
// say is a note on where it stands.
func (f *found) say(k finding.Kind, args ...any) finding.Note {
	return finding.Say(k, args...).At(f.at.File, f.at.StartLine)
}

func (f *found) where() string { return fmt.Sprintf("%s:%d", f.at.File, f.at.StartLine) }

// configurations are those of one revision, in the order of releases and objects, and what
// is said of those that cannot be read.
type configurations struct {
	list    []*found
	pools   []foundPool
	healed  map[string]*policies.GitOps // by release
	loops   map[string]object.Loops
	notices []finding.Note
	ties    *Neighbours
}

// kindLine is the line that names the kind of a configuration within a ConfigMap.
var kindLine = regexp.MustCompile(`(?m)^kind:\s*["']?(` +
	policies.DeschedulerKind + `|` + policies.SchedulerKind + `)["']?\s*$`)

// configurationsOf looks for controllers' configurations in a revision; nil has none.
func configurationsOf(rev *object.Revision) configurations {
	out := configurations{healed: map[string]*policies.GitOps{}, loops: map[string]object.Loops{}}
	if rev == nil {
		return out
	}
	for _, rel := range rev.Releases {
		if g := healing(rel); g != nil {
			out.healed[rel.ID] = g
		}
		out.loops[rel.ID] = rel.Delivery.Loops
		if rel.Switched != "" {
			continue // the controllers beside others are those that the chart has without the switch
		}
		for _, o := range rel.Objects {
			out.readPool(rel.ID, o)
			out.readAutoscaler(rel.ID, o)
			if cm, ok := o.Typed.(*corev1.ConfigMap); ok && !o.Hook {
				for _, key := range slices.Sorted(maps.Keys(cm.Data)) {
					out.read(rel.ID, func() object.Location { return o.Locate("data[" + key + "]") }, cm.Data[key])
				}
			}
		}
	}
	if len(out.list) == 0 { // else the ConfigMap is mostly made of this file
		for _, s := range rev.ConfigFiles([]string{policies.DeschedulerKind, policies.SchedulerKind}) {
			out.read("", func() object.Location { return object.Location{File: s.File, Rung: "node"} }, string(s.Text))
		}
	}
	return out
}

// read takes the text of a configuration that begins in the line after a place: an entry of a ConfigMap, or a file.
// Where that is takes time to find, and is asked for configurations alone.
func (c *configurations) read(release string, at func() object.Location, text string) {
	m := kindLine.FindStringSubmatch(text)
	if m == nil {
		return
	}
	f := &found{release: release, at: at(), lines: map[string]int{}}
	for field, line := range policies.FieldLines([]byte(text)) {
		if f.lines[field] = f.at.StartLine; f.at.Rung == "node" { // else a template is in between
			f.lines[field] += line
		}
	}
	f.at.StartLine = max(f.at.StartLine, 1)
	var err error
	switch m[1] {
	case policies.DeschedulerKind:
		f.controller = foundDescheduler
		f.descheduler, err = policies.LoadDescheduler(f.at.File, []byte(text))
	default:
		f.controller = foundScheduler
		if f.scheduler, err = policies.LoadScheduler(f.at.File, []byte(text)); err == nil {
			f.scheduler = beside(f.scheduler)
		}
	}
	if err != nil {
		why := err.Error()
		if e, ok := err.(*policies.FileError); ok { // its lines are those within the ConfigMap
			why = fmt.Sprintf("line %d of it: %s: %s", e.Problems[0].Line, e.Problems[0].Field, e.Problems[0].Text)
		}
		c.notices = append(c.notices, f.say(finding.ControllerUnread, m[1], why))
		return
	}
	c.list = append(c.list, f)
}

// beside gives a scheduler of one's own the cluster's beside it, where it leaves the
// default's name to that.
func beside(s *state.Scheduler) *state.Scheduler {
	named := func(p state.SchedulerProfile) bool { return p.Name == corev1.DefaultSchedulerName }
	if s.Refused != "" || slices.ContainsFunc(s.Profiles, named) {
		return s
	}
	out := *s
	out.Profiles = append([]state.SchedulerProfile{state.DefaultSchedulerProfile()}, s.Profiles...)
	return &out
}

// of is the configuration of a controller that counts for a release: the release's own, or
// the only one that there is in its cluster. split says that there are several to choose from.
func (c configurations) of(controller, release string) (f *found, split bool) {
	var own, all []*found
	for _, x := range c.list {
		if x.controller != controller || x.release != "" && x.release != release && c.ties.Tie(x.release, release) == Apart {
			continue
		}
		all = append(all, x)
		if x.release == release {
			own = append(own, x)
		}
	}
	list := own
	if len(list) == 0 {
		list = all
	}
	for _, x := range list {
		if !x.same(list[0]) {
			return nil, true
		}
	}
	if len(list) == 0 {
		return nil, false
	}
	return list[0], false
}

// Besides are the controllers beside the workloads of each release, on head and on base: those that the policy names
// or, if it names none, those that were found.
type Besides struct {
	policy     *policies.Policy
	Base, Head configurations
	Compared   bool     // there is a base
	touched    []string // files that the change touches
}

// NewBesides looks for the controllers of a change; ties say in which clusters they run.
func NewBesides(p *policies.Policy, ch *object.Changes, ties *Neighbours) *Besides {
	b := &Besides{policy: p, Compared: ch.Base != nil, touched: ch.Files}
	if p.Controllers.Discover {
		b.Head, b.Base = configurationsOf(ch.Head), configurationsOf(ch.Base)
		b.Head.ties, b.Base.ties = ties, ties
	}
	return b
}

// OnTrust gives the file of the descheduler's configuration that counts for a release on head, and the release that has
// it, if nobody says that both run in one cluster.
func (b *Besides) OnTrust(release string) (file, lender string) {
	f, _ := b.Head.of(foundDescheduler, release)
	if !slices.Contains(b.wanted(), foundDescheduler) || f == nil || f.release == "" || f.release == release ||
		b.Head.ties.Tie(f.release, release) == Sure {
		return "", ""
	}
	return f.at.File, f.release
}

// wanted lists the controllers for which the policy names no configuration. That a cluster autoscaler runs says
// nothing of its flags.
func (b *Besides) wanted() []string {
	var out []string
	if b.policy.Controllers.Descheduler == nil {
		out = append(out, foundDescheduler)
	}
	if b.policy.Controllers.Scheduler == nil {
		out = append(out, foundScheduler)
	}
	if slices.ContainsFunc(b.policy.Cluster.Pools, func(p policies.NodePool) bool { return p.Autoscaled }) {
		out = append(out, foundAutoscaler)
	}
	return out
}

// Changed words which configuration the change gives a release that base has otherwise;
// "" is none.
func (b *Besides) Changed(release string) string {
	if !b.Compared {
		return ""
	}
	for _, controller := range b.wanted() {
		was, _ := b.Base.of(controller, release)
		is, _ := b.Head.of(controller, release)
		switch {
		case is.same(was):
		case is == nil:
			return "the configuration of the " + controller + " that base has in " + was.where() + " is gone"
		default:
			return "the configuration of the " + controller + " changed, in " + is.where()
		}
	}
	return b.changedPool(release)
}

// PolicyOf is the policy with the controllers found for a release, on head or on base.
func (b *Besides) PolicyOf(release string, c configurations) *policies.Policy {
	p := *b.policy
	for _, controller := range b.wanted() {
		f, _ := c.of(controller, release)
		if f == nil {
			continue
		}
		x := &p.Controllers
		switch controller {
		case foundDescheduler:
			x.Descheduler, x.DeschedulerLines, x.DeschedulerAt = f.descheduler, f.lines, f.at.File
		case foundScheduler:
			x.Scheduler, x.SchedulerLines, x.SchedulerAt = f.scheduler, f.lines, f.at.File
		case foundAutoscaler:
			x.ClusterAutoscaler, x.AutoscalerFlags = true, *f.autoscaler
			x.AutoscalerLines, x.AutoscalerAt = f.lines, f.at.File
		}
	}
	if p.Controllers.GitOps == nil {
		p.Controllers.GitOps = c.healed[release]
	}
	return b.withPools(&p, release, c)
}

// Notices says what was found, and what became of it.
func (b *Besides) Notices(picked []*Slice) []finding.Note {
	out := slices.Clone(b.Head.notices)
	say := func(n finding.Note) { out = finding.AppendNew(out, n) }
	b.flagNotices(say)
	wanted := b.wanted()
	for _, f := range b.Head.list {
		if !slices.Contains(wanted, f.controller) && f.controller != foundAutoscaler {
			say(f.say(finding.ControllerUnused, f.controller))
		}
	}
	for _, sl := range picked {
		b.poolNotices(sl.Release, say)
		for _, controller := range wanted {
			f, split := b.Head.of(controller, sl.Release)
			switch {
			case split:
				say(finding.Say(finding.ControllerSplit, controller).In(sl.Release))
			case f != nil:
				say(f.say(finding.ControllerUsed, controller))
			}
		}
	}
	return out
}
