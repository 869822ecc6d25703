package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kubesettle/kubesettle/report"
)

// Nothing that the action writes names a flag of check, which a workflow does not have: each of our sentences that does
// has other words there, or names the command.
func TestActionNamesInputsAndNoFlags(t *testing.T) {
	var names []string
	newCheck(&process{}).Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	flag := regexp.MustCompile(`--(` + strings.Join(names, "|") + `)\b`)
	command := regexp.MustCompile(`(kubesettle|kubectl|helm|git) [^;:,]*|--from [^ ]*`)
	said := 0
	for _, room := range []string{"report", "render", "verify", "policies", "cmd/kubesettle/deadline.go"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
				d.Name() == "inputs.go" || strings.Contains(file, "conformance") {
				return err
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, _ := strconv.Unquote(lit.Value)
				if !flag.MatchString(text) || text == " --repo " { // of a command of helm, which is put together
					return true
				}
				said++
				if got := report.AsInputs(strconv.Quote(text)); flag.MatchString(command.ReplaceAllString(got, "")) {
					t.Errorf("%s: the action says %q", file, got)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if said < 20 {
		t.Errorf("%d sentences with flags, want 20", said)
	}
	s := newStep(t, 1500)
	s.env["INPUT_HTML-FILE"], s.env["INPUT_TIME-BUDGET"] = "r.html", "1ms"
	s.want(exitFinding)
	for _, text := range []string{s.log.String(), s.read("summary"), s.read("workspace/r.html"), s.read("workspace/kubesettle.json"),
		s.read("workspace/kubesettle.sarif")} {
		text = regexp.MustCompile(`(?s)<(style|script)[ >].*?</(style|script)>`).ReplaceAllString(text, "")
		if i := flag.FindStringIndex(text); i != nil {
			t.Errorf("the action says %.200q", text[max(0, i[0]-100):])
		} else if text == "" {
			t.Error("a surface is empty")
		}
	}
}
