package policies

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// SchedulerKind is the kind of a scheduler's configuration file.
const SchedulerKind = "KubeSchedulerConfiguration"

// LoadScheduler reads a KubeSchedulerConfiguration as kube-scheduler v1.36.3 does, with its defaults and its validation
// of the fields that the model reads. file is used in messages. Features that the model does not have are in
// [state.Scheduler.Refused].
//
// Upstream: cmd/kube-scheduler/app/options: loadConfig; pkg/scheduler/apis/config/v1:
// SetDefaults_KubeSchedulerConfiguration; validation: ValidateKubeSchedulerConfiguration.
// Errors: a [*FileError] with every problem of the file.
func LoadScheduler(file string, data []byte) (*state.Scheduler, error) {
	l := &schedulerLoader{decoder: newDecoder()}
	if l.root = l.document(data); l.root != nil {
		l.configuration()
	} else if len(l.problems) == 0 {
		l.fail(&yaml.Node{}, "", "is empty; remove it from the policy, or write a %s", SchedulerKind)
	}
	if err := l.err(file); err != nil {
		return nil, err
	}
	return &l.out, nil
}

// schedulerLoader reads one file.
type schedulerLoader struct {
	*decoder
	root *yaml.Node
	out  state.Scheduler
}

// wrong says what is wrong with the value at a path.
func (l *schedulerLoader) wrong(path, format string, args ...any) {
	at, _ := locate(l.root, path)
	l.fail(at, path, format, args...)
}

// refuse keeps the first thing that the model does not have.
func (l *schedulerLoader) refuse(path, format string, args ...any) {
	if l.out.Refused == "" {
		l.out.Refused = path + ": " + fmt.Sprintf(format, args...)
	}
}

func (l *schedulerLoader) configuration() {
	var c configv1.KubeSchedulerConfiguration
	if !l.strictly(l.root, "", &c) {
		return
	}
	version := configv1.SchemeGroupVersion.String()
	switch group, _, _ := strings.Cut(c.APIVersion, "/"); {
	case c.APIVersion == "":
		l.wrong("", "apiVersion is missing; give %s", version)
	case c.APIVersion != version && group == configv1.GroupName:
		l.wrong("apiVersion", "%s is not read by kube-scheduler v1.36; write the configuration as %s",
			quote(c.APIVersion), version)
	case c.APIVersion != version:
		l.wrong("apiVersion", "must be %s, not %s", version, quote(c.APIVersion))
	}
	if c.Kind != SchedulerKind {
		l.wrong("kind", "must be %s, not %s", SchedulerKind, quote(c.Kind))
	}
	l.limits(&c)
	if len(c.Extenders) > 0 {
		l.refuse("extenders", "what an extender answers")
	}
	if len(c.Profiles) == 0 {
		c.Profiles = []configv1.KubeSchedulerProfile{{}}
	}
	if len(c.Profiles) == 1 && c.Profiles[0].SchedulerName == nil {
		name := corev1.DefaultSchedulerName
		c.Profiles[0].SchedulerName = &name
	}
	seen := map[string]int{}
	for i := range c.Profiles {
		at := fmt.Sprintf("profiles[%d]", i)
		p := l.profile(&c.Profiles[i], at)
		if first, twice := seen[p.Name]; twice {
			l.wrong(at+".schedulerName",
				"%s is the name of profiles[%d] as well; give every profile its own", quote(p.Name), first)
		}
		seen[p.Name] = i
		l.out.Profiles = append(l.out.Profiles, p)
	}
}

// limits checks the numbers beside the profiles. None of them changes where a pod may go: of up to 100 nodes all are
// scored, whatever the percentage (pkg/scheduler: numFeasibleNodesToFind, minFeasibleNodesToFind).
func (l *schedulerLoader) limits(c *configv1.KubeSchedulerConfiguration) {
	l.percentage("percentageOfNodesToScore", c.PercentageOfNodesToScore)
	if c.Parallelism != nil && *c.Parallelism <= 0 {
		l.wrong("parallelism", "must be a whole number above 0, not %d", *c.Parallelism)
	}
	initial, most := int64(1), int64(10)
	if c.PodInitialBackoffSeconds != nil {
		if initial = *c.PodInitialBackoffSeconds; initial <= 0 {
			l.wrong("podInitialBackoffSeconds", "must be above 0, not %d", initial)
		}
	}
	if c.PodMaxBackoffSeconds != nil {
		most = *c.PodMaxBackoffSeconds
	}
	if most < initial {
		l.wrong("podMaxBackoffSeconds", "must be at least podInitialBackoffSeconds, which is %d, not %d", initial, most)
	}
}

func (l *schedulerLoader) percentage(path string, v *int32) {
	if v != nil && (*v < 0 || *v > 100) {
		l.wrong(path, "must be from 0 to 100, not %d", *v)
	}
}

func (l *schedulerLoader) profile(p *configv1.KubeSchedulerProfile, at string) state.SchedulerProfile {
	out := state.DefaultSchedulerProfile()
	out.Fields = map[string]string{}
	out.Name = ""
	if p.SchedulerName != nil {
		out.Name = *p.SchedulerName
	}
	if out.Name == "" {
		l.wrong(at, "schedulerName is missing; with several profiles every one needs its own")
	}
	l.percentage(at+".percentageOfNodesToScore", p.PercentageOfNodesToScore)
	l.plugins(&out, p.Plugins, at+".plugins")
	seen := map[string]int{}
	for i := range p.PluginConfig {
		c := &p.PluginConfig[i]
		path := fmt.Sprintf("%s.pluginConfig[%d]", at, i)
		if first, twice := seen[c.Name]; twice {
			l.wrong(path+".name", "%s is configured in pluginConfig[%d] as well; keep one of the two", quote(c.Name), first)
		}
		seen[c.Name] = i
		l.arguments(&out, c.Name, path)
	}
	return out
}
