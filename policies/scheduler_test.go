package policies

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

func schedulerFile(profiles string) []byte {
	return []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + profiles)
}

func TestLoadScheduler(t *testing.T) {
	got, err := LoadScheduler("s.yaml", schedulerFile(`
percentageOfNodesToScore: 50
leaderElection: {leaderElect: true}
profiles:
- schedulerName: packs
  plugins:
    multiPoint:
      disabled: [{name: ImageLocality}, {name: DefaultPreemption}]
      enabled: [{name: NodeAffinity, weight: 7}, {name: InterPodAffinity}]
    score:
      enabled: [{name: NodeResourcesFit, weight: 5}]
      disabled: [{name: NodeResourcesBalancedAllocation}]
    filter: {disabled: [{name: NodePorts}]}
  pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      ignoredResources: [example.com/gpu]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu, weight: 3}, {name: memory}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 9, ignorePreferredTermsOfExistingPods: true}
  - name: DefaultPreemption
    args: {minCandidateNodesAbsolute: 3}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}]
- schedulerName: default-scheduler
`))
	if err != nil {
		t.Fatal(err)
	}
	first := state.DefaultSchedulerProfile()
	first.Name = "packs"
	first.Fields = map[string]string{
		"NodeResourcesFit":  "profiles[0].pluginConfig[0].args",
		"InterPodAffinity":  "profiles[0].pluginConfig[1].args",
		"DefaultPreemption": "profiles[0].pluginConfig[2].args",
		"PodTopologySpread": "profiles[0].pluginConfig[3].args",
		"NodeAffinity":      "profiles[0].plugins.multiPoint.enabled[0]",
	}
	first.NoFilter = map[string]bool{"NodePorts": true}
	first.Weight = map[string]int64{
		"TaintToleration": 3, "NodeAffinity": 7, "NodeResourcesFit": 5, "PodTopologySpread": 2, "InterPodAffinity": 1,
	}
	first.Strategy = state.RequestedToCapacityRatio
	first.Resources = []state.ResourceWeight{{Name: "cpu", Weight: 3}, {Name: "memory", Weight: 1}}
	first.Shape = []state.ShapePoint{{}, {Utilization: 100, Score: 10}}
	first.IgnoredResources = map[string]bool{"example.com/gpu": true}
	first.HardPodAffinityWeight, first.IgnorePreferredTermsOfExistingPods = 9, true
	first.SystemDefaulting = false
	first.DefaultConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "rack", WhenUnsatisfiable: corev1.DoNotSchedule}}
	first.NoPreemption, first.MinCandidates.Nodes = true, 3
	second := state.DefaultSchedulerProfile()
	second.Fields = map[string]string{}
	if diff := cmp.Diff(&state.Scheduler{Profiles: []state.SchedulerProfile{first, second}}, got); diff != "" {
		t.Error(diff)
	}
}

// A file without a word on profiles is upstream's default.
func TestLoadSchedulerDefaults(t *testing.T) {
	got, err := LoadScheduler("s.yaml", schedulerFile(""))
	if err != nil {
		t.Fatal(err)
	}
	want := state.DefaultSchedulerProfile()
	want.Fields = map[string]string{}
	if diff := cmp.Diff(&state.Scheduler{Profiles: []state.SchedulerProfile{want}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoadSchedulerRefuses(t *testing.T) {
	for _, tt := range []struct{ profiles, want string }{
		{"extenders: [{urlPrefix: 'http://x', filterVerb: f}]\n", "extenders: what an extender answers"},
		{"profiles: [{plugins: {score: {enabled: [{name: Mine}]}}}]\n",
			`profiles[0].plugins.score.enabled[0]: the plugin "Mine", which is not one of kube-scheduler's own`},
		{"profiles: [{plugins: {preFilter: {disabled: [{name: PodTopologySpread}]}}}]\n",
			"profiles[0].plugins.preFilter: filter without its preFilter"},
		{"profiles: [{plugins: {filter: {disabled: [{name: NodeAffinity}]}}}]\n",
			"profiles[0].plugins.filter: preFilter of NodeAffinity without its filter"},
		{"profiles: [{plugins: {filter: {enabled: [{name: InterPodAffinity}]}}}]\n",
			"profiles[0].plugins.filter: filters in another order than upstream's"},
	} {
		got, err := LoadScheduler("s.yaml", schedulerFile(tt.profiles))
		if err != nil || got.Refused != tt.want {
			t.Errorf("%s: refused %q, %v, want %q", tt.profiles, got.Refused, err, tt.want)
		}
	}
}

func TestLoadSchedulerErrors(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"", "s.yaml:1:1: is empty; remove it from the policy, or write a KubeSchedulerConfiguration"},
		{"apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n",
			`s.yaml:1:1: apiVersion: "kubescheduler.config.k8s.io/v1beta3" is not read by kube-scheduler v1.36; write the configuration as kubescheduler.config.k8s.io/v1`},
		{"kind: Scheduler\n", "s.yaml:1:1: apiVersion is missing; give kubescheduler.config.k8s.io/v1\n" +
			`s.yaml:1:1: kind: must be KubeSchedulerConfiguration, not "Scheduler"`},
		{string(schedulerFile("profiles:\n- schedulername: x\n")),
			"s.yaml:4:3: profiles[0].schedulername: unknown key; remove it, or correct its spelling and place"},
		{string(schedulerFile("profiles:\n- schedulerName: x\n- schedulerName: 7\n")),
			"s.yaml:5:18: profiles[1].schedulerName: must be a value of type string, not a number"},
		{string(schedulerFile("profiles:\n- {schedulerName: x}\n- {schedulerName: x}\n- {}\n")),
			`s.yaml:5:4: profiles[1].schedulerName: "x" is the name of profiles[0] as well; give every profile its own` + "\n" +
				"s.yaml:6:3: profiles[2]: schedulerName is missing; with several profiles every one needs its own"},
		{string(schedulerFile("profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: {type: Most, resources: [{name: cpu, weight: 101}]}}\n")),
			`s.yaml:6:30: profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: "Most": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"` + "\n" +
				"s.yaml:6:66: profiles[0].pluginConfig[0].args.scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]"},
		{string(schedulerFile("profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args: {defaultConstraint: []}\n")),
			"s.yaml:6:12: profiles[0].pluginConfig[0].args.defaultConstraint: unknown key; remove it, or correct its spelling and place"},
		{string(schedulerFile("profiles:\n- plugins:\n    multiPoint:\n      disabled: [{name: '*'}]\n")),
			"s.yaml:4:3: profiles[0].plugins: PrioritySort is disabled, and no other plugin sorts the queue; enable it\n" +
				"s.yaml:4:3: profiles[0].plugins: DefaultBinder is disabled, and no other plugin binds pods; enable it"},
		{string(schedulerFile("parallelism: -1\nparallelism: 2\n")),
			"s.yaml:4:1: parallelism: the key appears here a second time; keep one of the two"},
	} {
		_, err := LoadScheduler("s.yaml", []byte(tt.file))
		var file *FileError
		if !errors.As(err, &file) {
			t.Errorf("%s: %v", tt.file, err)
			continue
		}
		if diff := cmp.Diff(strings.Split(tt.want, "\n"), strings.Split(err.Error(), "\n")); diff != "" {
			t.Errorf("%s\n%s", tt.file, diff)
		}
	}
}

// No file makes the loader panic, and every error names a line.
func FuzzLoadScheduler(f *testing.F) {
	data, err := os.ReadFile("../testdata/failures/f47/violating/scheduler.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(schedulerFile("profiles: [{plugins: {score: {enabled: [{name: x, weight: -1}]}}, pluginConfig: [{name: NodeAffinity, args: {addedAffinity: {}}}]}]\n"))
	f.Add(schedulerFile("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := LoadScheduler("s.yaml", data)
		if (err == nil) != (got != nil) {
			t.Fatal(got, err)
		}
		var file *FileError
		if err != nil && (!errors.As(err, &file) || file.Problems[0].Line < 1) {
			t.Fatal(err)
		}
	})
}
