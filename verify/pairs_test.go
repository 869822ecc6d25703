package verify

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// morePairs is for nightly runs: 10000.
var morePairs = flag.Int("pairs", 0, "random pairs of base and head, each for all properties of verdicts; 0: as many as a commit waits for, each for every fourth")

var firstPair = flag.Int("first-pair", 0, "the first of the random pairs")

// onceWrong are pairs beyond the first ones that showed a defect.
var onceWrong = []int{2577, 1380, 2453, 20945, 22040, 22205, 23105, 23144, 30150, 30281, 61101, 61104, 61183, 70008}

// told is what a result says, with the names of a dress taken out of it.
func told(r *finding.Result, d dress) []string {
	var out []string
	for _, f := range r.Findings {
		who := f.Workload
		for i, name := range d.names {
			who = strings.Replace(strings.Replace(who, "a-namespace/", "default/", 1), "/"+name, "/"+plainDress.names[i], 1)
		}
		events := slices.Sorted(slices.Values(f.Events))
		out = append(out, fmt.Sprintf("%s %s %s %s %s at %d with %v", f.Status, f.Severity, f.Certainty, f.Rule, who, f.Scale.Nodes, events))
	}
	slices.Sort(out)
	return append(out, string(r.Verdict))
}

// looseness orders verdicts: what holds a change back comes first.
func looseness(v finding.Verdict) int {
	return slices.Index([]finding.Verdict{finding.Fail, finding.Errored, finding.Inconclusive, finding.Pass}, v)
}

// property is something that holds of the verdicts on every pair; it gives what is wrong.
type property struct {
	name string
	hold func(t testing.TB, p randomPair, plain *finding.Result) string
}

// differ words how two lists differ.
func differ(a, b []string) string {
	if slices.Equal(a, b) {
		return ""
	}
	return fmt.Sprintf("%s\nbecomes\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
}

// sameButCertainty reports whether two lists are the same, where of the second it may be unknown how certain some are.
func sameButCertainty(a, b []string) bool {
	return slices.EqualFunc(a, b, func(a, b string) bool {
		was, is := strings.Fields(a), strings.Fields(b)
		if len(was) == len(is) && len(is) > 2 && is[2] == "unknown" {
			was[2] = is[2]
		}
		return slices.Equal(was, is)
	})
}

// explicit writes head's defaults out.
func explicit(part int, s string) string {
	if part != 1 {
		return s
	}
	for _, x := range [][2]string{
		{"    spec:\n", "    spec:\n      restartPolicy: Always\n      dnsPolicy: ClusterFirst\n      schedulerName: default-scheduler\n      terminationGracePeriodSeconds: 30\n      securityContext: {}\n"},
		{"{rollingUpdate: ", "{type: RollingUpdate, rollingUpdate: "},
		{"{containerPort", "{protocol: TCP, containerPort"},
		{"{name: c, image", "{name: c, imagePullPolicy: IfNotPresent, terminationMessagePath: /dev/termination-log, image"},
		{"  serviceName:", "  podManagementPolicy: OrderedReady\n  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}\n  revisionHistoryLimit: 10\n  serviceName:"},
		{"  strategy:", "  progressDeadlineSeconds: 600\n  revisionHistoryLimit: 10\n  minReadySeconds: 0\n  strategy:"},
	} {
		s = strings.ReplaceAll(s, x[0], x[1])
	}
	return s
}

func same(t testing.TB, p randomPair, plain *finding.Result, d dress) string {
	r := p.check(t, d, Options{})
	if a, b := told(plain, plainDress), told(r, d); !slices.Equal(a, b) && !cutOff(plain, r) {
		return fmt.Sprintf("%s\nbecomes\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	return ""
}

// cutOff reports whether time or memory ended a run: on a busy machine that is nobody's property.
func cutOff(list ...*finding.Result) bool {
	return slices.ContainsFunc(list, func(r *finding.Result) bool { return r.Coverage.Bound == "time" || r.Coverage.Bound == "memory" })
}

func noLooser(t testing.TB, p randomPair, plain *finding.Result, d dress) string {
	if r := p.check(t, d, Options{}); looseness(r.Verdict) > looseness(plain.Verdict) && !cutOff(r) {
		return fmt.Sprintf("%s\nbecomes\n%s", strings.Join(told(plain, plainDress), "\n"), strings.Join(told(r, d), "\n"))
	}
	return ""
}

// assumes reports whether a result says that it rests on something.
func assumes(r *finding.Result, k finding.Kind) bool {
	return slices.ContainsFunc(r.Assumptions, func(n finding.Note) bool { return n.Kind == k })
}

var properties = []property{
	{"more events never loosen", func(t testing.TB, p randomPair, plain *finding.Result) string {
		d := plainDress
		d.more = []string{"loadChange", "nodeFailure", "podCrash"}[p.nodes%3]
		return noLooser(t, p, plain, d)
	}},
	{"a wider pool never loosens, unless others need it", func(t testing.TB, p randomPair, plain *finding.Result) string {
		d := plainDress
		d.wider = 1
		r := p.check(t, d, Options{})
		if looseness(r.Verdict) <= looseness(plain.Verdict) || cutOff(r) ||
			assumes(r, finding.SizesTooSmall) { // the narrow one does not hold them
			return ""
		}
		return differ(toldIn(plain), told(r, d))
	}},
	{"names, and the order of documents and pools, change nothing", func(t testing.TB, p randomPair, plain *finding.Result) string {
		d := plainDress
		d.names, d.prefix, d.reversed = [2]string{"zz-a-much-longer-name", "a"}, "m", true
		return same(t, p, plain, d)
	}},
	{"names of namespaces and labels, and the order of files, change nothing", func(t testing.TB, p randomPair, plain *finding.Result) string {
		d := plainDress
		d.files = true
		other := strings.NewReplacer("namespace: default", "namespace: a-namespace", "app: ", "example.com/name: ", "disk: ", "a-disk: ")
		d.text = func(_ int, s string) string { return other.Replace(s) }
		return same(t, p, plain, d)
	}},
	{"a pool and the same nodes as objects agree", func(t testing.TB, p randomPair, plain *finding.Result) string {
		d := plainDress
		d.objects = true
		return same(t, p, plain, d)
	}},
	{"the order of Node objects changes nothing", func(t testing.TB, p randomPair, plain *finding.Result) string {
		d := plainDress
		d.objects, d.reversed = true, true
		return same(t, p, plain, d)
	}},
	{"a bystander in another namespace changes at most what a tie may lead to", func(t testing.TB, p randomPair, plain *finding.Result) string {
		d := plainDress
		d.beside = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: by, namespace: other}\nspec: {selector: {matchLabels: {app: by}}, template: {metadata: {labels: {app: by}}, spec: {containers: [{name: c, image: \"by:1\"}]}}}\n"
		r := p.check(t, d, Options{})
		r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool { return strings.HasSuffix(f.Workload, " other/by") })
		a, b := told(plain, plainDress), told(r, d)
		other := slices.DeleteFunc(slices.Clone(b), func(s string) bool { // its pod stands on a node, which counts in scores
			return strings.Contains(s, " warning possible ") && !slices.Contains(a, s)
		})
		if cutOff(plain, r) || slices.Equal(a, other) {
			return ""
		}
		return differ(a, b)
	}},
	{"a workload beside takes no finding away", func(t testing.TB, p randomPair, plain *finding.Result) string {
		d := plainDress
		d.beside = besideManifest("by", 1+p.nodes%2, 200+100*p.cpu, []string{"", "nodeSelector: {gpu: \"yes\"}, "}[p.nodes%2])
		r := p.check(t, d, Options{})
		if r.Verdict == finding.Inconclusive || cutOff(plain, r) {
			return ""
		}
		for _, f := range plain.Findings {
			if changed := f.Status == finding.New || f.Status == finding.Worsened; changed && f.Severity == "error" &&
				!slices.ContainsFunc(r.Findings, func(o finding.Finding) bool {
					return o.Rule == f.Rule && o.Workload == f.Workload && o.Status == f.Status
				}) {
				return differ(told(plain, plainDress), told(r, d))
			}
		}
		return ""
	}},
	{"a fix that is applied leaves nothing new", func(t testing.TB, p randomPair, plain *finding.Result) string {
		told := func(r *finding.Result, rule, workload string) bool {
			return slices.ContainsFunc(r.Findings, func(o finding.Finding) bool {
				return o.Rule == rule && o.Workload == workload && (o.Status == finding.New || o.Status == finding.Worsened)
			})
		}
		for _, f := range plain.Findings {
			if f.Fix == nil || !f.Fix.Mechanical || f.Status != finding.New { // of long runs alone
				continue
			}
			d := plainDress
			d.text = func(part int, s string) string {
				if part == 1 {
					return editedBy(t, s, f.Fix)
				}
				return s
			}
			r := p.check(t, d, Options{})
			for _, g := range r.Findings {
				if told(r, g.Rule, g.Workload) && (!told(plain, g.Rule, g.Workload) || g.Rule == f.Rule && g.Workload == f.Workload) {
					return fmt.Sprintf("%s of %s, %q: %s", f.Rule, f.Workload, f.Fix.Text, differ(toldIn(plain), toldIn(r)))
				}
			}
		}
		return ""
	}},
	{"base equal to head is silent", func(t testing.TB, p randomPair, _ *finding.Result) string {
		p.head = p.base
		if r := p.check(t, plainDress, Options{}); r.Verdict != finding.Pass {
			return strings.Join(told(r, plainDress), "\n")
		}
		return ""
	}},
	{"another rule changes no other rule's findings", func(t testing.TB, p randomPair, plain *finding.Result) string {
		d := plainDress
		d.custom = "{name: own, never: \"workload('default/web').ready >= 3\"}"
		r := p.check(t, d, Options{})
		r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == "own" })
		a, b := told(plain, plainDress), told(r, d)
		if cutOff(plain, r) {
			return ""
		}
		return differ(a[:len(a)-1], b[:len(b)-1])
	}},
	{"explicit defaults are silent", func(t testing.TB, p randomPair, _ *finding.Result) string {
		p.head = p.base
		d := plainDress
		d.text = explicit
		if r := p.check(t, d, Options{}); r.Verdict != finding.Pass || len(r.Findings) > 0 && slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Status != finding.Existing }) {
			return strings.Join(told(r, d), "\n")
		}
		return ""
	}},
	{"a smaller budget gives the same or is inconclusive", func(t testing.TB, p randomPair, plain *finding.Result) string {
		r := p.check(t, plainDress, Options{Compare: run.Compare{States: []uint64{30, 300, 3000}[(p.nodes+p.cpu)%3]}})
		if r.Verdict == finding.Inconclusive || r.Verdict == finding.Fail && plain.Verdict == finding.Fail {
			return ""
		}
		if a, b := told(plain, plainDress), told(r, plainDress); !sameButCertainty(a, b) {
			return differ(a, b)
		}
		return ""
	}},
	{"what a change breaks at rest, its way back has to do with", func(t testing.TB, p randomPair, plain *finding.Result) string {
		p.base, p.head = p.head, p.base
		r := p.check(t, plainDress, Options{})
		if r.Verdict == finding.Inconclusive {
			return ""
		}
		for _, f := range plain.Findings {
			rests := (f.Scenario == scenario.ScenarioSteady || f.Scenario == scenario.ScenarioInstall) && (f.Rule == "unschedulable" || f.Rule == "spread-violated")
			if f.Status == finding.New && rests && !slices.ContainsFunc(r.Findings, func(o finding.Finding) bool { return o.Rule == f.Rule && o.Workload == f.Workload }) {
				return fmt.Sprintf("%s of %s is new, and back it is not fixed:\n%s\nback\n%s", f.Rule, f.Workload, strings.Join(told(plain, plainDress), "\n"), strings.Join(told(r, plainDress), "\n"))
			}
		}
		return ""
	}},
	{"a rule less changes no other rule's findings", func(t testing.TB, p randomPair, plain *finding.Result) string {
		less := []string{"unschedulable", "rollout-stuck", "below-floor"}[p.cpu%3]
		var on []string
		for _, r := range rules.All() {
			if r.ID != less {
				on = append(on, r.ID)
			}
		}
		without := func(r *finding.Result) []string {
			var out []string
			for _, s := range told(r, plainDress) {
				if !strings.Contains(s, " "+less+" ") && strings.Contains(s, " at ") {
					out = append(out, s)
				}
			}
			return out
		}
		r := p.check(t, plainDress, Options{Rules: on})
		if a, b := without(plain), without(r); !slices.Equal(a, b) && !cutOff(plain, r) {
			return fmt.Sprintf("without %s\n%s\nbecomes\n%s", less, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		return ""
	}},
}

// TestVerdictsAreMonotoneAndSymmetric tries the properties on random pairs, and holds their
// counterexamples against the documentation.
func TestVerdictsAreMonotoneAndSymmetric(t *testing.T) {
	pairs := 200
	if *morePairs > 0 {
		pairs = *morePairs
	}
	if testing.Short() {
		pairs = 24
	}
	var mu sync.Mutex
	violated, tried := map[string]int{}, map[string]int{}
	findings, runs, steps := 0, 0, 0
	one := func(t *testing.T, seed int) {
		p := newRandomPair(rand.New(rand.NewPCG(13, uint64(seed))))
		var again recheckAll
		plain := p.check(t, plainDress, Options{Compare: run.Compare{Watch: again.watch}})
		mu.Lock()
		findings, runs, steps = findings+len(plain.Findings), runs+again.runs, steps+again.steps
		for _, w := range again.wrong {
			t.Errorf("pair %d: %s", seed, w)
		}
		mu.Unlock()
		for i, x := range properties {
			if *morePairs == 0 && seed%4 != i%4 { // of each pair every fourth property
				continue
			}
			wrong := x.hold(t, p, plain)
			mu.Lock()
			if tried[x.name]++; wrong != "" {
				if violated[x.name]++; violated[x.name] <= 2 {
					t.Errorf("pair %d: %s:\n%s", seed, x.name, wrong)
				}
			}
			mu.Unlock()
		}
	}
	if *firstPair == 0 { // slices of a long run do not repeat them
		for _, seed := range onceWrong {
			one(t, seed)
		}
	}
	t.Run("pairs", func(t *testing.T) {
		workers := runtime.GOMAXPROCS(0)
		for w := range workers {
			t.Run(fmt.Sprint(w+1), func(t *testing.T) {
				t.Parallel()
				for seed := w; seed < pairs; seed += workers {
					one(t, *firstPair+seed)
				}
			})
		}
	})
	if findings < pairs/10 {
		t.Errorf("%d findings on %d pairs: they say little", findings, pairs)
	}
	for _, x := range properties {
		t.Logf("%-70s %d pairs, %d violations", x.name, tried[x.name], violated[x.name])
	}
	t.Logf("%d pairs, %d findings; %d counterexamples of %d steps, held against the documentation", pairs, findings, runs, steps)
}
