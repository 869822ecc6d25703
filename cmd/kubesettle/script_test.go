package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the scripts' golden output")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kubesettle": main})
}

// TestScripts runs one story a file: manifests in, exit code and report out.
//
// Beside testscript's own commands there are
//
//	exits CODE COMMAND…   like exec, and demands the exit code
//	repo DIR TREE…        makes a git repository with one commit a tree, each on a branch
//	                      of the tree's name that starts at the one before
//	manifest FILE BYTES   writes a ConfigMap of about that size
//	utf16 FILE            writes a file anew in UTF-16 with a byte order mark
//	charts FOLDER… -- FILE…  serves charts, see [charts]
//
// With -short, as in `make test` and under the race detector, where each of hundreds of processes starts in seconds, only
// the stories of whole checks, of fetching and of the declared size are told; `make test-full` tells all of them.
func TestScripts(t *testing.T) {
	stories := []string{"*"}
	if testing.Short() {
		stories = []string{"charts_*", "check_*", "runs_*"}
	}
	var files []string
	for _, s := range stories {
		found, err := filepath.Glob(filepath.Join("testdata", s+".txtar"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no story is %s: %v", s, err)
		}
		files = append(files, found...)
	}
	testscript.Run(t, testscript.Params{
		Files:         files,
		UpdateScripts: *rewrite,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, gitEnv(0)...)
			e.Setenv("CI", "true")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"repo":     func(ts *testscript.TestScript, _ bool, args []string) { ts.Check(inScript(ts, args)) },
			"manifest": manifest,
			"utf16":    utf16File,
			"charts":   charts,
		},
	})
}

// gitEnv keeps git away from the machine's configuration; the n-th commit has the n-th
// hour.
func gitEnv(n int) []string {
	date := fmt.Sprintf("2026-01-05T%02d:00:00Z", n)
	return []string{
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.invalid", "GIT_COMMITTER_DATE=" + date,
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func utf16File(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: utf16 FILE")
	}
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(ts.ReadFile(args[0]))) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out, 0o644))
}

func inScript(ts *testscript.TestScript, args []string) error {
	if len(args) < 2 {
		return errors.New("usage: repo DIR TREE…")
	}
	var trees []string
	for _, a := range args[1:] {
		trees = append(trees, ts.MkAbs(a))
	}
	return makeRepo(ts.MkAbs(args[0]), trees...)
}

// makeRepo makes a repository with one commit a tree, on a branch of the tree's name.
func makeRepo(dir string, trees ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := git(dir, 0, "init", "--quiet"); err != nil {
		return err
	}
	for i, tree := range trees {
		name := filepath.Base(tree)
		if err := git(dir, i, "checkout", "--quiet", "-b", name); err != nil {
			return err
		}
		if i > 0 {
			if err := git(dir, i, "rm", "--quiet", "-r", "."); err != nil {
				return err
			}
		}
		if err := os.CopyFS(dir, os.DirFS(tree)); err != nil {
			return err
		}
		if err := git(dir, i, "add", "--all"); err != nil {
			return err
		}
		if err := git(dir, i, "commit", "--quiet", "--allow-empty", "-m", name); err != nil {
			return err
		}
	}
	return nil
}

func git(dir string, n int, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), gitEnv(n)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

func manifest(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: manifest FILE BYTES")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big}\ndata:\n")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "  key%d: %s\n", i, strings.Repeat("x", 1000))
	}
	file := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	ts.Check(os.WriteFile(file, b.Bytes(), 0o644))
}
