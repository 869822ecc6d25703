package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// gitLabComponent is what the tests read of templates/kubesettle.yml.
type gitLabComponent struct {
	inputs map[string]struct {
		Description string
		Default     *string
	}
	job struct {
		Variables    map[string]string
		BeforeScript []string `yaml:"before_script"`
		Script       []string
		Artifacts    struct{ Reports map[string]string }
	}
}

// component reads the component with values for its inputs, the others by their default, as
// GitLab does: the text is interpolated, then read.
func component(t *testing.T, values map[string]string) gitLabComponent {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "templates", "kubesettle.yml"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, ok := strings.Cut(string(text), "\n---\n")
	if !ok {
		t.Fatal("no header")
	}
	var c gitLabComponent
	var spec struct{ Spec struct{ Inputs yaml.Node } }
	if err := yaml.Unmarshal([]byte(head), &spec); err != nil {
		t.Fatal(err)
	}
	if err := spec.Spec.Inputs.Decode(&c.inputs); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	body = regexp.MustCompile(`\$\[\[ inputs\.([a-z-]+) \]\]`).ReplaceAllStringFunc(body, func(m string) string {
		name := m[len("$[[ inputs.") : len(m)-len(" ]]")]
		used[name] = true
		in, known := c.inputs[name]
		if !known || in.Description == "" || in.Default == nil {
			t.Errorf("input %s is not declared, or has no description or default", name)
			return ""
		}
		if v, given := values[name]; given {
			return v
		}
		return *in.Default
	})
	for name := range c.inputs {
		if !used[name] {
			t.Errorf("input %s is not used", name)
		}
	}
	jobs := map[string]yaml.Node{}
	if err := yaml.Unmarshal([]byte(body), &jobs); err != nil || len(jobs) != 1 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	for _, one := range jobs {
		if err := one.Decode(&c.job); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// The component's script, run by a shell, calls a command that there is with flags and values
// that it takes, and writes the reports that the job hands to GitLab.
func TestGitLabComponent(t *testing.T) {
	for title, tc := range map[string]struct {
		values map[string]string
		want   []string
	}{
		"defaults": {nil, []string{"--note", "auto", "--fail-on", "", "--time-budget", "120s"}},
		"all":      {map[string]string{"fail-on": "new-warning", "note": "never", "paths": "apps infra/prod"}, []string{"--fail-on", "new-warning", "apps", "infra/prod"}},
	} {
		c := component(t, tc.values)
		dir := t.TempDir()
		stub := "#!/bin/sh\nfor a; do printf '%s\\n' \"$a\"; done\n"
		if err := os.WriteFile(filepath.Join(dir, "kubesettle"), []byte(stub), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-e", "-c", strings.Join(c.job.Script, "\n"))
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		for k, v := range c.job.Variables {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", title, err, out)
		}
		args := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		called := strings.Join(args, "\n") + "\n"
		for _, w := range tc.want {
			if !strings.Contains(called, w+"\n") {
				t.Errorf("%s: no %q in %q", title, w, args)
			}
		}
		root := newRoot(&process{})
		command, rest, err := root.Find(args)
		if err != nil || command.Name() != "ci" {
			t.Fatalf("%s: %v, %v", title, command.Name(), err)
		}
		if err := command.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", title, err)
		}
		given, err := command.Flags().GetStringArray("output")
		if err != nil {
			t.Fatal(err)
		}
		list, err := (&outputs{given: given, formats: []string{"text", "json", "html", "codequality", "junit"}}).list()
		if err != nil {
			t.Errorf("%s: %v", title, err)
		}
		for format, file := range c.job.Artifacts.Reports {
			found := false
			for _, o := range list {
				found = found || o.format == format && o.file == file
			}
			if !found {
				t.Errorf("%s: no report %s in %s: %v", title, format, file, list)
			}
		}
		if out, err := exec.Command("sh", "-n", "-c", strings.Join(c.job.BeforeScript, "\n")).CombinedOutput(); err != nil {
			t.Errorf("before_script: %v: %s", err, out)
		}
	}
}

// The component runs nothing that the release's workflow has not signed, or that is not what was signed.
func TestGitLabComponentChecksTheSignature(t *testing.T) {
	c := component(t, map[string]string{"version": "v9.8.7"})
	for title, tc := range map[string]struct {
		cosign string // what it does
		sum    string // of the archive, in SHA256SUMS
		runs   bool
	}{
		"signed":       {`case "$*" in *release.yml@refs/tags/v9.8.7*SHA256SUMS) exit 0 ;; esac; exit 1`, "sum", true},
		"not signed":   {"exit 1", "sum", false},
		"another file": {"exit 0", "0000000000000000000000000000000000000000000000000000000000000000", false},
	} {
		t.Run(title, func(t *testing.T) {
			dir := t.TempDir()
			script := strings.ReplaceAll(strings.Join(c.job.BeforeScript, "\n"), "/tmp/kubesettle", dir+"/job")
			stubs := map[string]string{
				"cosign": tc.cosign,
				"wget": `case "$*" in *SHA256SUMS) name=$(basename "$(ls "` + dir + `"/job/*.tar.gz)"); printf '%s  %s\n' "$(if [ ` + tc.sum +
					` = sum ]; then sha256sum < "` + dir + `/job/$name" | cut -d' ' -f1; else echo ` + tc.sum + `; fi)" "$name" > "$3" ;; *) echo x > "$3" ;; esac`,
				"tar": "touch " + dir + "/unpacked", "uname": "echo x86_64",
			}
			for name, text := range stubs {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("sh", "-e", "-c", script)
			cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
			for k, v := range c.job.Variables {
				cmd.Env = append(cmd.Env, k+"="+v)
			}
			out, err := cmd.CombinedOutput()
			if _, unpacked := os.Stat(dir + "/unpacked"); (unpacked == nil) != tc.runs || (err == nil) != tc.runs {
				t.Errorf("unpacked: %v, %v: %s", unpacked == nil, err, out)
			}
		})
	}
}
