package policies

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

func deschedulerFile(profile string) []byte {
	return []byte("apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nprofiles:\n" + profile)
}

func TestLoadDescheduler(t *testing.T) {
	got, err := LoadDescheduler("d.yaml", []byte(`
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
nodeSelector: pool=web
maxNoOfPodsToEvictPerNode: 3
maxNoOfPodsToEvictTotal: 0
profiles:
- name: first
  pluginConfig:
  - name: RemovePodsViolatingTopologySpreadConstraint
  - name: LowNodeUtilization
    args: {thresholds: {cpu: 20.5}, targetThresholds: {cpu: 50}, evictionLimits: {node: 2}}
  - name: DefaultEvictor
    args: {nodeFit: true, minReplicas: 2, evictLocalStoragePods: true, ignorePvcPods: true, priorityThreshold: {name: high}}
  plugins:
    balance: {enabled: [LowNodeUtilization, RemovePodsViolatingTopologySpreadConstraint]}
- name: second
  pluginConfig:
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 86400, states: [Running], ownerKinds: {exclude: [StatefulSet]}}
  plugins:
    deschedule: {enabled: [PodLifeTime]}
    filter: {enabled: [DefaultEvictor]}
`))
	if err != nil {
		t.Fatal(err)
	}
	number := func(n int) *int { return &n }
	want := &state.Descheduler{
		NodeSelector: "pool=web", MaxPerNode: number(3), MaxTotal: number(0),
		Profiles: []state.DeschedulerProfile{{
			Name: "first",
			Balance: []state.DeschedulerPlugin{
				{Name: "LowNodeUtilization", Field: "profiles[0].pluginConfig[1].args", Args: &state.LowNodeUtilizationArgs{
					Thresholds: state.ResourceThresholds{"cpu": 20.5}, TargetThresholds: state.ResourceThresholds{"cpu": 50}, MaxPerNode: number(2),
				}},
				{Name: "RemovePodsViolatingTopologySpreadConstraint", Field: "profiles[0].pluginConfig[0]", Args: &state.SpreadArgs{
					Constraints: []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule}, BalanceFit: true,
				}},
			},
			Evictor: state.DefaultEvictor{
				Field: "profiles[0].pluginConfig[2].args", NodeFit: true, MinReplicas: 2, PriorityThreshold: state.PriorityThreshold{Name: "high"},
				ProtectDaemonSets: true, ProtectSystemCritical: true, ProtectPVC: true,
			},
		}, {
			Name: "second",
			Deschedule: []state.DeschedulerPlugin{{Name: "PodLifeTime", Field: "profiles[1].pluginConfig[0].args", Args: &state.PodLifeTimeArgs{
				MaxSeconds: number(86400), States: []string{"Running"}, OwnerKinds: state.Namespaces{Exclude: []string{"StatefulSet"}},
			}}},
			Evictor: state.DefaultEvictor{ProtectLocalStorage: true, ProtectDaemonSets: true, ProtectSystemCritical: true},
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func strategies(list string) string {
	return "apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\nstrategies:\n  " + list
}

// TestLoadDeschedulerV1alpha1: a policy of a descheduler before v0.30 is what it was converted to.
func TestLoadDeschedulerV1alpha1(t *testing.T) {
	for _, c := range []struct{ old, now string }{
		{`
evictLocalStoragePods: true
ignorePvcPods: true
nodeSelector: pool=web
maxNoOfPodsToEvictPerNode: 3
strategies:
  RemovePodsViolatingTopologySpreadConstraint:
    enabled: true
    weight: 2
    params: {includeSoftConstraints: true, nodeFit: true, namespaces: {exclude: [kube-system]}, podLifeTime: null}
  LowNodeUtilization:
    enabled: true
    params:
      thresholdPriorityClassName: high
      nodeResourceUtilizationThresholds: {thresholds: {cpu: 20}, targetThresholds: {cpu: 50}, numberOfNodes: 2}
  PodLifeTime:
    enabled: true
    params: {nodeFit: true, podLifeTime: {maxPodLifeTimeSeconds: 86400, podStatusPhases: [Pending], states: [Running]}}
  RemoveDuplicates: {enabled: false}
`, `
nodeSelector: pool=web
maxNoOfPodsToEvictPerNode: 3
profiles:
- name: strategy-LowNodeUtilization-profile
  pluginConfig:
  - name: DefaultEvictor
    args: {evictLocalStoragePods: true, ignorePvcPods: true, priorityThreshold: {name: high}}
  - name: LowNodeUtilization
    args: {thresholds: {cpu: 20}, targetThresholds: {cpu: 50}, numberOfNodes: 2}
  plugins: {balance: {enabled: [LowNodeUtilization]}}
- name: strategy-PodLifeTime-profile
  pluginConfig:
  - name: DefaultEvictor
    args: {evictLocalStoragePods: true, ignorePvcPods: true}
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 86400, states: [Pending, Running]}
  plugins: {deschedule: {enabled: [PodLifeTime]}}
- name: strategy-RemovePodsViolatingTopologySpreadConstraint-profile
  pluginConfig:
  - name: DefaultEvictor
    args: {evictLocalStoragePods: true, ignorePvcPods: true, nodeFit: true}
  - name: RemovePodsViolatingTopologySpreadConstraint
    args: {constraints: [DoNotSchedule, ScheduleAnyway], namespaces: {exclude: [kube-system]}}
  plugins: {balance: {enabled: [RemovePodsViolatingTopologySpreadConstraint]}}
`}, {"strategies: {RemovePodsHavingTooManyRestarts: {enabled: true, params: {podsHavingTooManyRestarts: {podRestartThreshold: 5}}}}", `
profiles:
- name: strategy-RemovePodsHavingTooManyRestarts-profile
  pluginConfig: [{name: RemovePodsHavingTooManyRestarts, args: {podRestartThreshold: 5}}]
  plugins: {deschedule: {enabled: [RemovePodsHavingTooManyRestarts]}}
`}, {"strategies: {}", "profiles: []"}} {
		got, err := LoadDescheduler("d.yaml", []byte("apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\n"+c.old))
		if err != nil {
			t.Fatal(err)
		}
		want, err := LoadDescheduler("d.yaml", []byte("apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n"+c.now))
		if err != nil {
			t.Fatal(err)
		}
		places := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Field" }, cmp.Ignore()) // other places
		if d := cmp.Diff(want, got, places); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	}
}

// TestLoadDeschedulerRefuses: each problem is named with its place and what to do.
func TestLoadDeschedulerRefuses(t *testing.T) {
	profile := func(config, plugins string) string {
		return "- name: p\n  pluginConfig: [" + config + "]\n  plugins: {" + plugins + "}\n"
	}
	for _, c := range []struct{ file, want string }{
		{"apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy\nprofiles: []", "d.yaml:3:1: profiles: unknown key"},
		{strategies("RemoveDuplicate: {enabled: true}"), "d.yaml:4:3: strategies.RemoveDuplicate: is not a strategy; did you mean"},
		{strategies("LowNodeUtilization: {enabled: true}"), "thresholds is missing"},
		{strategies("PodLifeTime: {enabled: true}"), "has no criterion"},
		{strategies("PodLifeTime: {enabled: true, params: {podLifetime: {}}}"), "unknown key; did you mean \"podLifeTime\"?"},
		{strategies("RemoveDuplicates: {enabled: true, params: {thresholdPriority: 1, thresholdPriorityClassName: a}}"), "give one of them"},
		{"kind: DeschedulerPolicy", "apiVersion is missing"},
		{profile("", "balance: {enabled: [RemoveDuplicates]}"), "has no entry for the enabled plugin RemoveDuplicates"},
		{profile("", "deschedule: {enabled: [RemoveDuplicates]}"), "\"RemoveDuplicates\" is not a plugin of this extension point"},
		{profile("", "preEvictionFilter: {enabled: [DefaultEvictor]}"), "did you mean \"preevictionfilter\"?"},
		{profile("{name: RemoveDuplicate}", ""), "is not a plugin of the descheduler; did you mean \"RemoveDuplicates\"?"},
		{profile("{name: RemoveDuplicates}, {name: RemoveDuplicates}", ""), "is configured in line 5 as well"},
		{profile("{name: RemoveDuplicates, args: {namespaces: {include: [a], exclude: [b]}}}", ""), "d.yaml:5:"},
		{profile("{name: RemovePodsViolatingNodeAffinity}", ""), "nodeAffinityType is missing"},
		{profile("{name: RemovePodsViolatingNodeTaints, args: {includedTaints: [a], excludedTaints: [b]}}", ""), "give one of them"},
		{profile("{name: LowNodeUtilization, args: {thresholds: {cpu: 60}, targetThresholds: {cpu: 50}}}", ""), "is greater than that of targetThresholds"},
		{profile("{name: LowNodeUtilization, args: {thresholds: {cpu: 20}, targetThresholds: {memory: 50}}}", ""), "different resources"},
		{profile("{name: HighNodeUtilization, args: {thresholds: {cpu: 101}}}", ""), "must be a percentage from 0 to 100"},
		{profile("{name: HighNodeUtilization, args: {thresholds: {cpu: .nan}}}", ""), "must be a percentage from 0 to 100"},
		{profile("{name: PodLifeTime}", ""), "has no criterion"},
		{profile("{name: RemovePodsHavingTooManyRestarts}", ""), "podRestartThreshold is missing"},
		{profile("{name: DefaultEvictor, args: {evictLocalStoragePods: true, podProtections: {extraEnabled: [PodsWithPVC]}}}", ""), "deprecated flags"},
		{profile("{name: DefaultEvictor, args: {podProtections: {defaultDisabled: [PodsWithPVC]}}}", ""), "is not a protection that may stand here"},
		{profile("{name: DefaultEvictor, args: {priorityThreshold: {name: a, value: 1}}}", ""), "has name and value"},
		{profile("{name: DefaultEvictor, args: {minPodAge: soon}}", ""), "is not a duration"},
		{profile("{name: DefaultEvictor, args: {nodeSelector: \"a in\"}}", ""), "is not a label selector"},
		{profile("{name: DefaultEvictor, args: {labelSelector: {matchExpressions: [{key: a, operator: In}]}}}", ""), "is not a label selector"},
	} {
		data := []byte(c.file)
		if strings.HasPrefix(c.file, "- ") {
			data = deschedulerFile(c.file)
		}
		_, err := LoadDescheduler("d.yaml", data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngives %v, want %q", c.file, err, c.want)
		}
	}
}

// FuzzLoadDescheduler: hostile files give problems with places, or a policy with every
// plugin's arguments.
func FuzzLoadDescheduler(f *testing.F) {
	files, _ := filepath.Glob("../testdata/*/*/*/descheduler.yaml")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(strategies("PodLifeTime: {enabled: true, params: {podLifeTime: &a {states: [Running]}}}")))
	f.Add([]byte("apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nprofiles: [{name: p, pluginConfig: [{name: PodLifeTime, args: &a [*a]}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := LoadDescheduler("d.yaml", data)
		if err != nil {
			var problems *FileError
			if !errors.As(err, &problems) || len(problems.Problems) == 0 {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		for _, profile := range p.Profiles {
			for _, plugin := range append(profile.Deschedule, profile.Balance...) {
				if plugin.Args == nil || plugin.Field == "" {
					t.Fatalf("%+v", plugin)
				}
			}
		}
	})
}
