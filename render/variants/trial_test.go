package variants

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

// counting is a runner that counts its recipes by what they are made of.
type counting struct {
	worker.Runner
	recipes map[string]int
	before  func()
}

func (c *counting) Run(j *release.Recipe) release.Output {
	c.before()
	c.recipes[j.Digest()]++
	return c.Runner.Run(j)
}

// What switches a hidden change on is found with each render made once, and is what is found where each is made anew.
func TestATrialIsRenderedOnce(t *testing.T) {
	deployment := `{{- if .Values.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-KIND}
spec:
  selector: {matchLabels: {app: KIND}}
  template:
    metadata: {labels: {app: KIND}}
    spec:
      containers: [{name: c, image: "x:TAG"}]
{{- if .Values.deep.KIND }}
      priorityClassName: p-TAG
{{- end }}
{{- end }}
`
	files := func(tag string) map[string]string {
		out := map[string]string{
			"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "chart/values.yaml": "enabled: false\ndeep: {a: false, b: false}\nnote: n" + tag + "\n", "chart/values-b.yaml": "deep: {b: true}\n",
		}
		for _, kind := range []string{"a", "b"} {
			out["chart/templates/"+kind+".yaml"] = strings.NewReplacer("KIND", kind, "TAG", tag).Replace(deployment)
		}
		return out
	}
	run := worker.New(context.Background(), worker.Options{})
	var sides []*side.Side
	for _, tag := range []string{"1", "2"} {
		of, err := tree.Map(tag, files(tag))
		if err != nil {
			t.Fatal(err)
		}
		s, err := side.Prepare(context.Background(), of, side.Options{}, run, nil, false)
		if err == nil {
			err = s.Complete(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, s)
	}
	find := func(once bool) ([][]toggle, *counting, int) {
		s := newSwitching(sides[0], sides[1], sides[0].ByID["chart"], sides[1].ByID["chart"])
		if s == nil {
			t.Fatal("nothing to be switched on")
		}
		c := &counting{Runner: run, recipes: map[string]int{}, before: func() {
			if !once {
				s.made = nil
			}
		}}
		s.run = c
		sets, _ := s.settings()
		return sets, c, s.trials
	}
	got, made, trials := find(true)
	want, anew, trialsAnew := find(false)
	if !reflect.DeepEqual(got, want) || len(got) == 0 || trials != trialsAnew {
		t.Errorf("found %v with %d trials, and each made anew %v with %d", got, trials, want, trialsAnew)
	}
	total := 0
	for recipe, n := range made.recipes {
		if total += n; n > 1 {
			t.Errorf("recipe %.12s was rendered %d times", recipe, n)
		}
	}
	repeated := 0
	for _, n := range anew.recipes {
		repeated += n
	}
	if total >= repeated {
		t.Errorf("%d renders, and %d without remembering any: nothing is shown", total, repeated)
	}
}
