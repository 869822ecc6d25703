package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// newWeb is a sound Deployment, one field a line.
const newWeb = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web
        image: nginx:1.27
        ports:
        - name: http
          containerPort: 8080
        resources:
          requests:
            cpu: 100m
            memory: 64Mi
          limits:
            memory: 128Mi
        readinessProbe:
          httpGet:
            path: /
            port: http
        volumeMounts:
        - name: tmp
          mountPath: /tmp
      volumes:
      - name: tmp
        emptyDir: {}
`

// newMistakes are edits of newWeb, each with a word of the line that is refused or remarked on.
var newMistakes = []struct{ name, was, is, line string }{
	{"replicas", "replicas: 2", "replicas: -2", "replicas: -2"},
	{"request", "memory: 64Mi", "memory: 640Mi", "memory: 640Mi"},
	{"probe", "port: http\n", "port: htpp\n", "port: htpp"},
	{"port", "containerPort: 8080", "containerPort: 80800", "containerPort: 80800"},
	{"mount", "- name: tmp\n          mountPath", "- name: tpm\n          mountPath", "name: tpm"},
	{"unknown", "      containers:", "      dnsPolciy: Default\n      containers:", "dnsPolciy"},
	{"misplaced", "  selector:", "  serviceAccountName: x\n  selector:", "serviceAccountName"},
	{"strategy", "  selector:", "  strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}\n  selector:", "strategy:"},
	{"quantity", "cpu: 100m", "cpu: \"100 m\"", "100 m"},
	{"policy", "image: nginx:1.27", "image: nginx:1.27\n        imagePullPolicy: Allways", "Allways"},
	{"spread", "      containers:", "      topologySpreadConstraints:\n      - maxSkew: 0\n        topologyKey: zone\n" +
		"        whenUnsatisfiable: DoNotSchedule\n      containers:", "maxSkew"},
	{"config", "- name: http\n          containerPort",
		"- name: http\n          protocol: TPC\n          containerPort", "protocol"},
	{"restart", "      volumes:", "      restartPolicy: Never\n      volumes:", "restartPolicy"},
}

// mistaken is newWeb with some mistakes, and the line that each is on.
func mistaken(t *testing.T, which ...int) (text string, lines []int) {
	t.Helper()
	text = newWeb
	for _, i := range which {
		edited := strings.Replace(text, newMistakes[i].was, newMistakes[i].is, 1)
		if edited == text {
			t.Fatalf("%s does not apply", newMistakes[i].name)
		}
		text = edited
	}
	list := strings.Split(text, "\n")
	for _, i := range which {
		lines = append(lines, 1+slices.IndexFunc(list, func(l string) bool { return strings.Contains(l, newMistakes[i].line) }))
	}
	return text, lines
}

// newPlaces puts a manifest into a repository: as it is, as a template of a chart, and as a resource of an overlay.
var newPlaces = map[string]func(manifest string) (file string, files map[string]string){
	"plain": func(m string) (string, map[string]string) {
		return "web.yaml", map[string]string{"web.yaml": m}
	},
	"chart": func(m string) (string, map[string]string) {
		return "c/templates/web.yaml", map[string]string{"c/templates/web.yaml": m,
			"c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n", "c/values.yaml": "a: b\n"}
	},
	"overlay": func(m string) (string, map[string]string) {
		return "base/web.yaml", map[string]string{"base/web.yaml": m,
			"base/kustomization.yaml": "resources: [web.yaml]\n",
			"prod/kustomization.yaml": "namePrefix: p-\nresources: [../base]\n"}
	},
}

// besideNothing checks a repository in which an object is new.
func besideNothing(t *testing.T, files map[string]string) *finding.Result {
	t.Helper()
	const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: shop}\ndata: {a: b}\n"
	before, after := map[string]string{"other/cm.yaml": other}, map[string]string{"other/cm.yaml": other}
	for name, text := range files {
		after[name] = text
	}
	var sides []tree.Tree
	for _, side := range []map[string]string{before, after} {
		made, err := tree.Map("side", side)
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, made)
	}
	return checkSides(t, sides[0], sides[1])
}

// What is wrong with a field of a new object is told at the line of this field, wherever the object is written.
func TestNewObjectsAreToldAtTheLineOfTheField(t *testing.T) {
	for way, place := range newPlaces {
		for i, m := range newMistakes {
			t.Run(way+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				text, lines := mistaken(t, i)
				file, files := place(text)
				found := 0
				for _, f := range besideNothing(t, files).Findings {
					if f.Status != finding.New {
						continue
					}
					found++
					if at := f.Locations[0]; at.File != file || at.StartLine != lines[0] {
						t.Errorf("%s at %s:%d, want %s:%d", f.Message, at.File, at.StartLine, file, lines[0])
					}
				}
				if found == 0 {
					t.Error("not told")
				}
			})
		}
	}
}

// No mistake of a new object hides another one: of every two, both are told, each at its line; and one that is fixed
// leaves the other as new as it was.
func TestNoMistakeOfANewObjectHidesAnother(t *testing.T) {
	for i := range newMistakes {
		for j := range i {
			t.Run(fmt.Sprintf("%s and %s", newMistakes[j].name, newMistakes[i].name), func(t *testing.T) {
				t.Parallel()
				for _, which := range [][]int{{j, i}, {i}, {j}} {
					text, lines := mistaken(t, which...)
					told := map[int]bool{}
					for _, f := range besideNothing(t, map[string]string{"web.yaml": text}).Findings {
						for _, l := range f.Locations {
							told[l.StartLine] = told[l.StartLine] || f.Status == finding.New
						}
					}
					for n, line := range lines {
						if !told[line] {
							t.Errorf("of %d mistakes, %s is not told at line %d", len(which), newMistakes[which[n]].name, line)
						}
					}
				}
			})
		}
	}
}

// changedWeb checks the change from one text of an object to another, and says which findings are at which line of head
// and of base.
func changedWeb(t *testing.T, before, after string) (at func(line int, status finding.Status) bool) {
	t.Helper()
	var sides []tree.Tree
	for _, text := range []string{before, after} {
		made, err := tree.Map("side", map[string]string{"web.yaml": text})
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, made)
	}
	found := checkSides(t, sides[0], sides[1]).Findings
	return func(line int, status finding.Status) bool {
		return slices.ContainsFunc(found, func(f finding.Finding) bool {
			return f.Status == status && slices.ContainsFunc(f.Locations, func(l finding.Location) bool {
				return l.StartLine == line && (l.Side == "head" || status == finding.Fixed)
			})
		})
	}
}

// No mistake that base has hides one that head adds, and none that head mends keeps another from being what it was: of
// every two, what is added is new, what is mended is fixed, and what stays is existing.
func TestNoMistakeOfBaseHidesAnother(t *testing.T) {
	for i := range newMistakes {
		for j := range newMistakes {
			if i == j {
				continue
			}
			t.Run(fmt.Sprintf("%s stays, %s comes and goes", newMistakes[i].name, newMistakes[j].name), func(t *testing.T) {
				t.Parallel()
				one, at := mistaken(t, i)
				two, both := mistaken(t, i, j)
				added := changedWeb(t, one, two)
				if !added(both[1], finding.New) {
					t.Errorf("added beside %s, %s is not told as new", newMistakes[i].name, newMistakes[j].name)
				}
				if added(both[1], finding.Existing) {
					t.Errorf("added beside %s, %s is told as existing", newMistakes[i].name, newMistakes[j].name)
				}
				if added(both[0], finding.New) {
					t.Errorf("%s was there before, and is told as new beside %s", newMistakes[i].name, newMistakes[j].name)
				}
				mended := changedWeb(t, two, one)
				if !mended(both[1], finding.Fixed) {
					t.Errorf("mended beside %s, %s is not told as fixed", newMistakes[i].name, newMistakes[j].name)
				}
				if remark := newMistakes[i].name == "probe"; !remark && !mended(at[0], finding.Existing) {
					t.Errorf("%s stays as %s is mended, and is not told as existing", newMistakes[i].name, newMistakes[j].name)
				}
				if mended(at[0], finding.New) {
					t.Errorf("%s stays as %s is mended, and is told as new", newMistakes[i].name, newMistakes[j].name)
				}
			})
		}
	}
}
