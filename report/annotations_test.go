package report

import (
	"regexp"
	"strings"
	"testing"
)

// command is what GitHub's runner reads of a line.
var command = regexp.MustCompile(`^::(error|warning|notice)(?: ([^:]*))?::(.*)$`)

func unescape(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(s)
}

// readCommand gives the level, the properties and the message of a line.
func readCommand(t *testing.T, s string) (level string, props map[string]string, message string) {
	t.Helper()
	m := command.FindStringSubmatch(s)
	if m == nil {
		t.Fatalf("not one command: %q", s)
	}
	props = map[string]string{}
	for _, p := range strings.Split(m[2], ",") {
		if k, v, ok := strings.Cut(p, "="); ok {
			if _, twice := props[k]; twice {
				t.Fatalf("%s stands twice in %q", k, s)
			}
			props[k] = unescape(v)
		}
	}
	return m[1], props, unescape(m[3])
}

func checkCommand(t *testing.T, a Annotation) {
	t.Helper()
	s := a.WorkflowCommand()
	if strings.ContainsAny(s, "\r\n") {
		t.Fatalf("more than one line: %q", s)
	}
	_, props, message := readCommand(t, s)
	if message != Clean(a.Message) || props["title"] != line(a.Title) || props["file"] != strings.ReplaceAll(Clean(a.File), "\r", "") {
		t.Fatalf("%q reads as %q and %q", s, props, message)
	}
}

func TestWorkflowCommandsAreWhatTheyAnnotate(t *testing.T) {
	for i, s := range hostile {
		checkCommand(t, Annotation{Level: "error", File: s, Line: 3, EndLine: 3, Title: hostile[(i+1)%len(hostile)], Message: hostile[(i+2)%len(hostile)]})
	}
	if got := (Annotation{Level: "debug", Message: "x"}).WorkflowCommand(); got != "::notice::x" {
		t.Errorf("an unknown level: %q", got)
	}
}

func FuzzWorkflowCommand(f *testing.F) {
	f.Add("a.yaml", "title", "message\n::error::x")
	f.Fuzz(func(t *testing.T, file, title, message string) {
		checkCommand(t, Annotation{Level: "warning", File: file, Line: 1, EndLine: 1, Title: title, Message: message})
	})
}

func TestAnnotationsAreCapped(t *testing.T) {
	r := bigResult(120) // 60 new: 20 of each severity; 30 existing, as notices
	list, left := Annotations(r, AnnotationOptions{Rules: testRules})
	n := map[string]int{}
	for _, a := range list {
		n[a.Level]++
		if a.Level != "notice" && strings.Contains(a.Title, "on base too") {
			t.Errorf("an existing finding is a %s", a.Level)
		}
	}
	if n["error"] != 10 || n["warning"] != 10 || n["notice"] != 10 || left != 60 {
		t.Errorf("%v, %d left", n, left)
	}
	if list, left := Annotations(r, AnnotationOptions{Errors: 2, Warnings: -1, Notices: -1, Rules: testRules}); len(list) != 2 || left != 88 {
		t.Errorf("%d annotations, %d left", len(list), left)
	}
}

func TestAnnotationsOfABaseLineHaveNoPlace(t *testing.T) {
	r := spreadResult()
	f := &r.Findings[0]
	f.Locations[0].Side = "base"
	f.Blame, f.Interleaving = nil, nil
	list, _ := Annotations(r, AnnotationOptions{Rules: testRules})
	if len(list) != 1 || list[0].File != "" || list[0].Line != 0 {
		t.Errorf("%+v", list)
	}
}

// runnerSees reports whether a runner would take a line for a command: "::" first after
// white space, or "##[" or, as Azure Pipelines has it, "##vso[" anywhere.
func runnerSees(l string) bool {
	return strings.HasPrefix(strings.TrimSpace(l), "::") || strings.Contains(l, "##[") || strings.Contains(strings.ToLower(l), "##vso[")
}

func FuzzLogText(f *testing.F) {
	for _, s := range append(hostile, "##[error]x", "x ##VSO[task.setvariable variable=verdict]pass", "###[x", " \t::x", "a\r::x", "\x1b[1m::x", "\u00a0::x", "\u2028::x") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range regexp.MustCompile(`[\r\n]`).Split(LogText(s), -1) {
			if runnerSees(l) || runnerSees(Clean(l)) {
				t.Fatalf("%q leaves a command: %q", s, l)
			}
		}
	})
}

func TestOutputEntryCannotBeForged(t *testing.T) {
	zero := strings.NewReader(strings.Repeat("\x00", 64))
	got, err := OutputEntry("verdict", "pass", zero)
	if err != nil || got != "verdict<<kubesettle_00000000000000000000000000000000\npass\nkubesettle_00000000000000000000000000000000\n" {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := OutputEntry("verdict", "x\nkubesettle_00000000000000000000000000000000\nverdict=pass", zero); err == nil {
		t.Error("a value that holds the delimiter is written")
	}
	for _, name := range []string{"", "a=b", "a\nb", "a<<b"} {
		if _, err := OutputEntry(name, "x", zero); err == nil {
			t.Errorf("the name %q is taken", name)
		}
	}
}
