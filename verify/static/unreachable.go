package static

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

var cuts = Analyzer{Name: "cuts", Rule: rules.Unreachable, Run: unreachable, Whole: true,
	Doc: "a request that arrives on base and never does on head"}

// unreachable says which requests that manifests tell of arrive at pods on base and at none on head, whatever settles
// there, and which field ends them. Those of the API server are [rules.CutOffControl]'s. What [routes], [dangling] and
// [astray] say of Services and their ports is left to them.
func unreachable(p *Pass) []Remark {
	var out []Remark
	told := map[string]bool{}
	for _, v := range p.views() {
		t := &cutter{view: v, where: p.where(), base: map[string]traffic.Ask{}, by: map[string]int{}, told: told,
			compared: p.ch.Base != nil}
		for _, a := range v.asks(state.Base) {
			t.base[a.Key] = a
		}
		for _, a := range v.asks(state.Head) {
			t.ask(a)
		}
		for i := range t.found {
			t.found[i].text += t.others[i].words()
		}
		out = append(out, t.found...)
	}
	return out
}

// cutter gathers the requests that are cut off in one cluster.
type cutter struct {
	*view
	where    *whereabouts
	base     map[string]traffic.Ask // by key
	found    []Remark
	others   []alsoCut
	by       map[string]int // places in found
	told     map[string]bool
	compared bool
}

// alsoCut are those that one policy cuts beside the first.
type alsoCut struct {
	first string
	more  []string
}

func (x alsoCut) words() string {
	if len(x.more) == 0 {
		return ""
	}
	return fmt.Sprintf(" (and so for %s)", strings.Join(atMost(x.more, 3), ", "))
}

// atMost names the first of a list, and counts the rest.
func atMost(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(slices.Clone(list[:n]), fmt.Sprintf("%d more", len(list)-n))
}

// ask compares a request on both sides.
func (t *cutter) ask(a traffic.Ask) {
	now := t.of[state.Head].Reach(a)
	b, had := t.base[a.Key]
	was := traffic.Reach{}
	if had {
		was = t.of[state.Base].Reach(b)
	}
	switch {
	case had && was.Answer == traffic.Yes && t.leftBehind(a, now, was):
		t.enter(Remark{Rule: rules.Unreachable, Object: now.Service, release: now.Service.Release, status: finding.New,
			Conditional: true, paths: []string{"spec.selector"}, causes: []cause{{object: was.To[0].Object}},
			remedies: byHand("take what leads there away with it, or keep the pods where the Service selects them"),
			text:     fmt.Sprintf("%s: the change removes what it selects", t.does(a, now, was))}, a, now)
	case had && was.Answer == traffic.Yes && t.strays(a, now, was):
		t.enter(Remark{Rule: rules.Unreachable, Object: now.Because[0].Object, release: now.Because[0].Object.Release,
			status: finding.New, Conditional: true, paths: []string{now.Because[0].Path},
			remedies: byHand("name " + was.Service.ID.String() + ", which is there"),
			text: fmt.Sprintf("%s: it leads to Service %s/%s, of which the repository says nothing else",
				t.does(b, now, was), now.Missing[0], now.Missing[1])}, a, now)
	case had && was.Answer == traffic.Yes && t.nearOnly(a, b, now):
		far := t.of[state.Head].Far().Reach(a)
		if r, ok := t.remark(a, far, was, state.Head); ok {
			r.status, r.Conditional = finding.New, true
			r.text = fmt.Sprintf("%s: %s lets only the node of a pod in at port %s", t.does(a, far, was),
				far.Because[0].Object.ID, protocolPort(far.Port))
			t.enter(r, a, far)
		}
	case had && was.Answer == traffic.No && now.Answer != traffic.No:
		if r, ok := t.remark(b, was, traffic.Reach{Answer: now.Answer}, state.Base); ok && now.Answer == traffic.Yes {
			r.status = finding.Fixed
			t.enter(r, b, was)
		}
	case now.Answer != traffic.No || had && was.Answer == traffic.No, !had && !t.newly(a, now):
	default:
		if r, ok := t.remark(a, now, was, state.Head); ok {
			r.status, r.Conditional = finding.New, r.Conditional || t.compared && !had
			if t.compared {
				if r.causes = append(r.causes, t.blames(a)...); !had && unattached(a, now) {
					r.at = a.By.Object.Locate("spec.parentRefs")
				}
			}
			t.enter(r, a, now)
		}
	}
}

// strays reports whether a request that reached a Service that is still there leads to one that is not, and that the
// repository does not mention elsewhere. Routes that name one of their own namespace are left to [routes].
func (t *cutter) strays(a traffic.Ask, now, was traffic.Reach) bool {
	own := a.Plain && now.Missing == [2]string{a.By.Object.ID.Namespace, a.Service}
	named := len(now.Because) > 0 && now.Because[0].Path == "spec.externalName" // by a Service, whoever asks
	if a.Use != traffic.Route && !named || own || now.Missing == [2]string{} || was.Service == nil ||
		now.Missing == [2]string{was.Service.ID.Namespace, was.Service.ID.Name} {
		return false
	}
	_, _, there := t.of[state.Head].Service(was.Service.ID.Namespace, was.Service.ID.Name)
	odd := now.Missing[1]
	if odd == was.Service.ID.Name {
		odd = now.Missing[0]
	}
	return there == traffic.Yes && !t.where.mentioned(odd, func(f string) bool {
		return f == a.By.Object.Source.File ||
			now.Service != nil && f == now.Service.Source.File
	})
}

// leftBehind reports whether a route still leads to a Service of which the change removes all pods, and brings none
// that something unknown may run.
func (t *cutter) leftBehind(a traffic.Ask, now, was traffic.Reach) bool {
	return a.Use == traffic.Route && now.Service != nil && len(now.To) == 0 && now.Answer == traffic.Unknown &&
		!slices.ContainsFunc(was.To, func(w *traffic.Workload) bool { return !slices.Contains(t.gone, w.Object) }) &&
		!slices.ContainsFunc(t.objects[state.Head], func(o *object.Object) bool {
			return o.ID.Namespace == a.Namespace && o.Typed == nil && !traffic.IsPolicy(o) && !traffic.IsRoute(o.ID) &&
				!slices.ContainsFunc(t.objects[state.Base], func(b *object.Object) bool { return b.ID == o.ID })
		})
}

// enter adds a remark, or the request to one that the same fields are the reason of.
func (t *cutter) enter(r Remark, a traffic.Ask, now traffic.Reach) {
	if once := fmt.Sprint(r.Rule, r.status, a.Key, r.release); t.told[once] {
		return
	} else {
		t.told[once] = true
	}
	who := t.who(a, now)
	key := fmt.Sprint(r.Rule, " ", r.status, " ", a.Use, " ", now.Cut, " ", now.Direction, " ", r.Object.ID, " ",
		r.release)
	if now.Cut != traffic.Denied || a.Use.Control() {
		key += a.Key
	}
	if i, ok := t.by[key]; ok {
		first, o := &t.found[i], &t.others[i]
		first.Conditional, first.Note = first.Conditional && r.Conditional, first.Note && r.Note
		for _, c := range r.causes {
			if !slices.ContainsFunc(first.causes, func(x cause) bool { return x.object == c.object }) {
				first.causes = append(first.causes, c)
			}
		}
		if who != o.first && !slices.Contains(o.more, who) {
			o.more = append(o.more, who)
		}
		return
	}
	t.by[key] = len(t.found)
	t.found, t.others = append(t.found, r), append(t.others, alsoCut{first: who})
}

// who names the sender of a request, for one of several.
func (t *cutter) who(a traffic.Ask, r traffic.Reach) string {
	if a.Caller != nil {
		return a.Caller.Object.ID.String()
	}
	return a.By.Object.ID.String()
}

// remark words a request that does not arrive; false where others tell of it.
func (t *cutter) remark(a traffic.Ask, now, was traffic.Reach, side state.Version) (Remark, bool) {
	if len(now.Because) == 0 || !tells(a, now) || t.deaf(a, now, side) {
		return Remark{}, false
	}
	by := now.Because[0]
	r := Remark{Rule: rules.Unreachable, Object: by.Object, release: by.Object.Release, paths: []string{by.Path},
		shape: fmt.Sprint("use ", a.Use)}
	if a.In.Object != nil {
		r.causes = append(r.causes, cause{a.In.Object, []string{a.In.Path}})
	}
	for _, f := range now.Because[1:] {
		r.causes = append(r.causes, cause{f.Object, []string{f.Path}})
	}
	if a.Use.Control() {
		r.Rule = rules.CutOffControl
	}
	r.with = t.stranger(by.Object, append(along(a, now), was.Service)...)
	r.Conditional = was.Answer != traffic.Yes && t.compared || now.Cut == traffic.NoReplicas && !a.Use.Control() ||
		a.Use == traffic.Named || a.Use == traffic.Scrape ||
		a.Use == traffic.Webhook && !a.Fails || a.Use == traffic.DNS && !t.of[side].Resolves(a.Caller)
	r.Note = a.Use == traffic.DNS && r.Conditional && locksOne(by.Object) || a.Use == traffic.Named &&
		now.Cut == traffic.NoReplicas
	r.text = fmt.Sprintf("%s: %s", t.does(a, now, was), t.ends(a, now))
	if blocks := t.blocks(a); blocks != "" {
		r.text += "; " + blocks
	}
	if side == state.Head {
		r.remedies = t.letThrough(a, now)
	}
	return r, true
}

// locksOne reports whether a NetworkPolicy lets nothing out of some pods on purpose, such as of a database: it is no
// default for a namespace, and lists nothing.
func locksOne(o *object.Object) bool {
	n, ok := o.Typed.(*networkingv1.NetworkPolicy)
	return ok && len(n.Spec.Egress) == 0 &&
		len(n.Spec.PodSelector.MatchLabels)+len(n.Spec.PodSelector.MatchExpressions) > 0
}

// tells reports whether a cut is reported here, and not by another analyzer.
func tells(a traffic.Ask, r traffic.Reach) bool {
	switch r.Cut {
	case traffic.Detached:
		return !strings.HasSuffix(r.Because[0].Path, ".name") // a removed Gateway is reported where it is named
	case traffic.NoService, traffic.NoPort:
		return a.Use != traffic.Route && a.Use != traffic.Scrape || a.Namespace != a.By.Object.ID.Namespace ||
			r.Cut == traffic.NoService && r.Because[0].Path == "spec.externalName"
	case traffic.NoPods, traffic.NotServed:
		return a.Use.Control()
	case traffic.NoReplicas:
		return a.Use != traffic.Scrape
	}
	return true
}

// deaf reports whether DNS is cut for the caller of a request as well, which says more.
func (t *cutter) deaf(a traffic.Ask, r traffic.Reach, side state.Version) bool {
	return a.Use == traffic.Named && r.Cut == traffic.Denied && r.Direction == traffic.Egress &&
		t.of[side].Reach(traffic.Ask{Use: traffic.DNS, From: a.From, Caller: a.Caller}).Answer == traffic.No
}

// does names the sender and the target, on base and on head.
func (t *cutter) does(a traffic.Ask, now, was traffic.Reach) string {
	reaches, before := "no longer reaches", ""
	if was.Answer != traffic.Yes {
		reaches = "does not reach"
	} else if len(was.To) > 0 {
		before = fmt.Sprintf(" (on base: %s)", was.To[0].Object.ID)
	}
	service := "Service " + a.Namespace + "/" + a.Service
	switch a.Use {
	case traffic.DNS:
		return fmt.Sprintf("%s %s the cluster's DNS, and so resolves no name", a.Caller.Object.ID, reaches)
	case traffic.Webhook:
		return fmt.Sprintf("the API server %s the webhook %s of %s over %s%s", reaches, a.Name, a.By.Object.ID,
			service, before)
	case traffic.Conversion:
		return fmt.Sprintf("the API server %s what converts %s, over %s%s", reaches, a.By.Object.ID.Name, service,
			before)
	case traffic.Aggregated:
		return fmt.Sprintf("the API server %s what serves %s, over %s%s", reaches, a.By.Object.ID, service, before)
	case traffic.Scrape:
		return fmt.Sprintf("no scraper for %s reaches %s any more%s", a.By.Object.ID, service, before)
	case traffic.Named:
		return fmt.Sprintf("%s, whose settings name %s, %s %s%s", a.Caller.Object.ID, a.Name, reaches, service,
			before)
	case traffic.Declared:
		return fmt.Sprintf("%s %s %s", a.Name, reaches, service)
	}
	return fmt.Sprintf("what %s leads to %s %s a pod%s", a.By.Object.ID, service, reaches, before)
}

// ends says where a request ends.
func (t *cutter) ends(a traffic.Ask, r traffic.Reach) string {
	by := r.Because[0].Object.ID
	switch r.Cut {
	case traffic.Detached:
		return fmt.Sprintf("no gateway takes it, by %s of %s", r.Because[0].Path, by)
	case traffic.NoService:
		return "the change removes it"
	case traffic.NoPort:
		return fmt.Sprintf("it has no port %s", a.Port.String())
	case traffic.NoPods:
		return "it selects no pods"
	case traffic.Ungranted:
		return fmt.Sprintf("no ReferenceGrant in the namespace %s lets it lead there", a.Namespace)
	case traffic.Weightless:
		return "all that its rule leads to has the weight 0"
	case traffic.NoSubset:
		return fmt.Sprintf("no pod is of the subset %s", a.Subset)
	case traffic.NoReplicas:
		return fmt.Sprintf("%s has no replicas", by)
	case traffic.NotServed:
		return "no container has the port that it leads to"
	}
	if r.Direction == traffic.Egress {
		return fmt.Sprintf("%s lets nothing out to it", by)
	}
	return fmt.Sprintf("%s lets nothing in at port %s of %s", by, protocolPort(r.Port), r.To[0].Object.ID)
}

// blocks says what is not possible while the API server gets no answer.
func (t *cutter) blocks(a traffic.Ask) string {
	switch {
	case a.Use == traffic.Webhook && !a.Fails:
		return "requests pass unchecked and unchanged (failurePolicy Ignore)"
	case a.Use == traffic.Webhook && slices.ContainsFunc(a.Blocks, func(r string) bool {
		return r == "pods" ||
			r == "*" || r == "*/*"
	}):
		return "no pod that it is asked about is created (failurePolicy Fail)"
	case a.Use == traffic.Webhook:
		return fmt.Sprintf("no request for %s that it is asked about passes (failurePolicy Fail)",
			strings.Join(atMost(a.Blocks, 3), ", "))
	case a.Use == traffic.Conversion:
		return "its objects can only be read and written in the stored version"
	case a.Use == traffic.Aggregated && strings.HasSuffix(a.Name, "metrics.k8s.io"):
		var who []string
		for _, o := range t.objects[state.Head] {
			if h, ok := o.Typed.(*autoscalingv2.HorizontalPodAutoscaler); ok && asksMetrics(h, a.Name) {
				who = append(who, o.ID.String())
			}
		}
		if len(who) > 0 {
			return strings.Join(atMost(who, 3), ", ") + " cannot scale"
		}
		return "autoscalers that need its metrics cannot scale"
	case a.Use == traffic.Aggregated:
		return "no namespace can be deleted meanwhile"
	}
	return ""
}

// asksMetrics reports whether an autoscaler needs metrics of a group.
func asksMetrics(h *autoscalingv2.HorizontalPodAutoscaler, group string) bool {
	return slices.ContainsFunc(h.Spec.Metrics, func(m autoscalingv2.MetricSpec) bool {
		switch m.Type {
		case autoscalingv2.ExternalMetricSourceType:
			return group == "external.metrics.k8s.io"
		case autoscalingv2.PodsMetricSourceType, autoscalingv2.ObjectMetricSourceType:
			return group == "custom.metrics.k8s.io"
		}
		return group == "metrics.k8s.io"
	}) || len(h.Spec.Metrics) == 0 && group == "metrics.k8s.io"
}

// letThrough has a NetworkPolicy let a request through, or scales up a workload that is scaled to nothing.
func (t *cutter) letThrough(a traffic.Ask, r traffic.Reach) []Remedy {
	o := r.Because[0].Object
	_, ok := o.Typed.(*networkingv1.NetworkPolicy)
	switch {
	case r.Cut == traffic.NoReplicas:
		return byHand(fmt.Sprintf("keep %s until nothing leads to it, or take what leads there away with it",
			shortID(o)))
	case r.Cut != traffic.Denied || !ok:
		return byHand("let it through, or remove the requests")
	}
	side, rule := "ingress", map[string]any{}
	port := map[string]any{"protocol": string(r.Port.Protocol), "port": int64(r.Port.Number)}
	if r.Direction == traffic.Egress {
		side = "egress"
	}
	rule["ports"] = []any{port}
	old, _ := slice.ValueAt(o.Content, "spec", side).([]any)
	say := fmt.Sprintf("let requests pass to port %s", protocolPort(r.Port))
	if a.Use == traffic.DNS {
		say = "let DNS pass, UDP and TCP at 53 of kube-system"
		rule["to"] = []any{map[string]any{"namespaceSelector": map[string]any{"matchLabels": map[string]any{
			"kubernetes.io/metadata.name": "kube-system"}}}}
		rule["ports"] = []any{map[string]any{"protocol": "UDP", "port": int64(53)}, map[string]any{"protocol": "TCP",
			"port": int64(53)}}
	}
	return []Remedy{{Say: say, Cost: "the policy lets more pass", Object: o,
		Set: []object.Setting{{Path: "spec." + side, Value: slices.Concat(old, []any{rule})}}}}
}

func itoa(n int32) string { return strconv.Itoa(int(n)) }
