package static

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var patience = Analyzer{Name: "patience", Rule: rules.ApplyStuck, Run: impatient,
	Doc: "a rollout that takes longer than whoever waits for it"}

// impatient says which rollouts take longer than the tool that waits for them: Helm, which then fails the install or
// the upgrade, and the Deployment's own deadline. The models know no minutes; what is told is a time that probes and
// minReadySeconds make the least, for pods that start as fast as can be and where base's are ready.
//
// Upstream: helm v3.21, pkg/kube: deploymentReady, statefulSetReady (all but maxUnavailable pods of the new revision
// ready; kstatus, which Flux asks today, waits for no fewer); kubernetes v1.36.3, pkg/kubelet/prober: (*worker).doProbe
// (initialDelaySeconds since the container started), pkg/controller/deployment: DeploymentTimedOut.
func impatient(p *Pass) []Remark {
	where := p.where()
	if p.Head == nil {
		return nil
	}
	installs := p.Base == nil || len(p.Objects(state.Base)) == 0
	before := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		pace, ok := paceOf(o, p.Objects(state.Head), installs)
		if !ok || o.Hook {
			continue
		}
		var was pacing // of any rollout of base's: a pace that base has is no news
		if b := before.counterpart(o); b != nil {
			was, _ = paceOf(b, p.Objects(state.Base), false)
		}
		if r, found := overdue(o, pace); found && was.ready <= was.deadline {
			r.release = p.ID
			out = append(out, r)
		}
		attempt := p.Head.Delivery.Upgrade
		if installs {
			attempt = p.Head.Delivery.Install
		}
		if pace.exceeds(attempt) && !(p.Base != nil && was.exceeds(p.Base.Delivery.Upgrade)) {
			out = append(out, gaveUp(p.Pair, where, o, pace, attempt, installs))
		}
	}
	return out
}

// pacing is how fast the pods of an object come at best.
type pacing struct {
	ready    time.Duration // until a pod is ready
	least    time.Duration // until as many are as Helm waits for
	deadline time.Duration // progressDeadlineSeconds
	waves    int           // of pods, one after the other
	paths    []string      // of what sets these
}

// exceeds reports whether Helm gives a rollout up.
func (p pacing) exceeds(a object.Attempt) bool { return a.Patience > 0 && p.least > a.Patience }

// paceOf is that of each rollout of an object, or of its install; false where there is nothing to say.
func paceOf(o *object.Object, beside []*object.Object, installs bool) (pacing, bool) {
	m, ok := state.ManifestOf(o.Typed)
	if !ok || o.Typed == nil || m.Paused() || m.Pace().Awaits || m.Pace().Keeps {
		return pacing{}, false
	}
	ready, path := readyAfter(m.Pod())
	if ready == 0 && m.MinReadySeconds() == 0 || scaled(o, beside) {
		return pacing{}, false
	}
	pods, most, field := m.Replicas(), m.Replicas(), ""
	switch t := o.Typed.(type) {
	case *appsv1.Deployment:
		if pace := m.Pace(); !installs && !pace.AtOnce {
			most = pace.SurgeOf(pods) + pace.UnavailableOf(pods)
			pods, field = pods-pace.UnavailableOf(pods), "spec.strategy"
		}
	case *appsv1.StatefulSet:
		switch {
		case installs && t.Spec.PodManagementPolicy == appsv1.ParallelPodManagement:
		case installs:
			most, field = 1, "spec.podManagementPolicy"
		default:
			if r := t.Spec.UpdateStrategy.RollingUpdate; r != nil && r.MaxUnavailable != nil {
				most = max(m.Pace().UnavailableOf(pods), 1)
			} else {
				most = 1
			}
			pods, field = pods-m.Partition(), "spec.updateStrategy"
		}
	default:
		return pacing{}, false
	}
	out := pacing{ready: ready, deadline: time.Duration(1<<62 - 1)}
	if path != "" {
		out.paths = append(out.paths, path)
	}
	if d, ok := o.Typed.(*appsv1.Deployment); ok && d.Spec.ProgressDeadlineSeconds != nil {
		out.deadline = seconds(*d.Spec.ProgressDeadlineSeconds)
	}
	if pods <= 0 || most <= 0 {
		return out, true
	}
	out.waves = (pods + most - 1) / most
	available := ready + seconds(m.MinReadySeconds())
	out.least = time.Duration(out.waves-1)*available + ready
	if out.waves > 1 {
		if m.MinReadySeconds() > 0 {
			out.paths = append(out.paths, "spec.minReadySeconds")
		}
		out.paths = append(out.paths, "spec.replicas")
		if field != "" {
			out.paths = append(out.paths, field)
		}
	}
	return out, true
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }

// readyAfter is how long a pod is not ready at least, with the field that says so.
func readyAfter(pod *corev1.PodSpec) (least time.Duration, path string) {
	for i := range pod.Containers {
		c := &pod.Containers[i]
		at := fmt.Sprintf("spec.template.spec.containers[%d].", i)
		if p := c.StartupProbe; p != nil && seconds(p.InitialDelaySeconds) > least {
			least, path = seconds(p.InitialDelaySeconds), at+"startupProbe"
		}
		if p := c.ReadinessProbe; p != nil {
			d := seconds(p.InitialDelaySeconds) + time.Duration(max(p.SuccessThreshold-1, 0))*seconds(p.PeriodSeconds)
			if d > least {
				least, path = d, at+"readinessProbe"
			}
		}
	}
	return least, path
}

// scaled reports whether an autoscaler sets the number of an object's pods.
func scaled(o *object.Object, beside []*object.Object) bool {
	return slices.ContainsFunc(beside, func(x *object.Object) bool {
		return x.ID.Namespace == o.ID.Namespace && slice.ValueAt(x.Content, "spec", "scaleTargetRef", "name") == o.ID.Name
	})
}

// overdue is about a Deployment whose pods get ready later than its deadline for any progress.
func overdue(o *object.Object, pace pacing) (Remark, bool) {
	if pace.ready <= pace.deadline {
		return Remark{}, false
	}
	return Remark{
		Rule: rules.ApplyStuck, Object: o, status: finding.New, Conditional: true, recovers: true,
		paths: []string{"spec.progressDeadlineSeconds", pace.paths[0]},
		text: fmt.Sprintf("%s reports each rollout as failed after %s without progress, and none of its pods is ready before %s",
			o.ID, words0(pace.deadline), words0(pace.ready)),
		remedies: []Remedy{{Say: "set progressDeadlineSeconds above the time that a pod needs", Object: o,
			Set: []object.Setting{{Path: "spec.progressDeadlineSeconds", Value: int(2 * pace.ready / time.Second)}}}},
	}, true
}

// gaveUp is about a rollout that Helm does not wait out.
func gaveUp(p slice.Pair, where *whereabouts, o *object.Object, pace pacing, a object.Attempt,
	installs bool) Remark {
	action, failed := "upgrade", "the upgrade is reported as failed, though the pods come"
	if installs {
		action, failed = "install", "the install is reported as failed, though the pods come"
	}
	r := Remark{Rule: rules.ApplyStuck, release: p.ID, Object: o, status: finding.New, paths: pace.paths,
		Conditional: a.Undone() == object.NoUndo, recovers: a.Undone() == object.NoUndo}
	switch a.Undone() {
	case object.Rollback:
		failed = "the upgrade is rolled back"
	case object.Uninstall:
		failed = "the release is uninstalled"
	}
	switch again := english.Plural(a.Retries, "time", ""); {
	case a.Undone() == object.NoUndo:
	case a.Retries < 0:
		failed += " and tried again, without end"
	case a.Retries > 0 && a.Last:
		failed += " and tried again " + again + ", with the same end"
	case a.Retries > 0:
		failed += " and tried again " + again + "; the last one stays, failed"
	}
	takes := "to get ready: "
	if pace.waves > 1 {
		takes = fmt.Sprintf("in %d turns: ", pace.waves)
	}
	by, at := "Helm", "set timeout: "
	if p.Head.Delivery.Name != "" {
		by, at = "HelmRelease "+p.Head.Delivery.Name, "set spec.timeout: "
	}
	r.text = fmt.Sprintf("%s waits %s for the %s, and %s takes %s at least %s%s", by, words0(a.Patience), action, o.ID,
		words0(pace.least), takes, failed)
	r.remedies = byHand(fmt.Sprintf("%s%s for the release", at, words0(2*pace.least)))
	if d := declaringObject(where.ch.Head, p.Head); d != nil {
		r.causes = append(r.causes, cause{object: d, paths: []string{"spec.timeout", "spec." + action}})
	}
	return r
}

// words0 is a duration without parts that are zero: "5m", "1h30m".
func words0(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if rest, ok := strings.CutSuffix(text, zero); ok {
			text = rest + zero[:1]
		}
	}
	return cmp.Or(text, "0s")
}
