// Command demo makes the repository of `make demo`, runs kubesettle on its pull
// request and checks that what it says is what the README promises.
//
// It uses git and the built binary only, so that it shows what a user sees. The
// repository has the shape that actions/checkout leaves: a base commit on main, a head
// commit on a branch, and the merge of both checked out.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
)

func main() {
	binary := flag.String("kubesettle", "bin/kubesettle", "the binary to show")
	trees := flag.String("trees", "testdata/demo", "folder of base, and of the files of head that differ")
	out := flag.String("out", "out", "folder for the repository and the reports")
	only := flag.Bool("repo-only", false, "make the repository and stop")
	rewrite := flag.Bool("rewrite", false, "put the finding into README.md instead of comparing")
	folder := flag.String("pictures", "", "folder for pictures of the reports, taken with -chromium")
	chromium := flag.String("chromium", "", "browser that takes the pictures")
	flag.Parse()
	err := run(*binary, *trees, *out, *only)
	if err == nil && !*only {
		err = readmeShows("README.md", filepath.Join(*out, "comment.md"), *rewrite)
	}
	if err == nil && *folder != "" {
		err = takePictures(*binary, *out, *chromium, *folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(binary, trees, out string, only bool) error {
	repo := filepath.Join(out, "demo-repo")
	if err := makeRepo(repo, trees); err != nil {
		return err
	}
	if only {
		return nil
	}
	args := []string{"check", "--repo", repo, "--base", "main", "--head", "spread-over-nodes", "--output", "text"}
	reports := map[string]string{
		"json": "result.json", "sarif": "result.sarif", "comment": "comment.md",
		"summary": "summary.md", "diff": "diff.md", "html": "report.html",
	}
	for _, format := range []string{"json", "sarif", "comment", "summary", "diff", "html"} {
		args = append(args, "--output", format+"="+filepath.Join(out, reports[format]))
	}
	fmt.Printf("$ kubesettle %s\n", strings.Join(args, " "))
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if code, err := exitCode(cmd.Run()); err != nil {
		return err
	} else if code != 1 {
		return fmt.Errorf("kubesettle ended with exit code %d, want 1: the demo's pull request must not pass the gate", code)
	}
	if err := inspect(filepath.Join(out, "result.json")); err != nil {
		return err
	}
	for _, format := range []string{"sarif", "comment", "summary", "diff", "html"} {
		info, err := os.Stat(filepath.Join(out, reports[format]))
		if err != nil {
			return err
		}
		if info.Size() == 0 {
			return fmt.Errorf("%s is empty", reports[format])
		}
	}
	fmt.Printf("\ndemo: as expected, exit code 1 and the finding below; the reports are in %s/\n", out)
	fmt.Println("demo: " + want.String())
	return nil
}

func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// expectation is what the demo must find, and on which line.
type expectation struct{ rule, workload, file, line string }

func (e expectation) String() string {
	return fmt.Sprintf("new finding %s of %s, from %s: %s", e.rule, e.workload, e.file, e.line)
}

var want = expectation{
	rule:     rules.Unschedulable,
	workload: "apps/Deployment prod/web",
	file:     "deploy/web/overlays/prod/spread.yaml",
	line:     "the constraint on kubernetes.io/hostname",
}

// result is the part of the published JSON that the demo rests on.
type result struct {
	Verdict  string
	Findings []struct {
		Rule, Status, Workload string
		Interleaving           []struct{ Actor, Text string }
		Locations              []struct {
			File      string
			StartLine int
			InDiff    bool
		}
	}
}

// inspect demands the finding, its interleaving in the order of the story, and its line.
func inspect(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var r result
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if r.Verdict != "fail" {
		return fmt.Errorf("%s: verdict is %q, want \"fail\"", file, r.Verdict)
	}
	for _, f := range r.Findings {
		if f.Rule != want.rule || f.Workload != want.workload || f.Status != "new" {
			continue
		}
		var steps []string
		for _, s := range f.Interleaving {
			steps = append(steps, s.Actor)
		}
		if !inOrder(steps, "load", "hpa", "deployment", "scheduler") {
			return fmt.Errorf("%s: the interleaving of %s is %v, want load, hpa, deployment and scheduler in this order", file, f.Rule, steps)
		}
		if len(f.Locations) == 0 || f.Locations[0].File != want.file || !f.Locations[0].InDiff {
			return fmt.Errorf("%s: the primary location of %s is %+v, want a changed line of %s", file, f.Rule, f.Locations, want.file)
		}
		return nil
	}
	return fmt.Errorf("%s: no %s", file, want)
}

// inOrder reports whether actors with these names or prefixes follow each other, with
// others between them.
func inOrder(actors []string, prefixes ...string) bool {
	for _, a := range actors {
		if len(prefixes) > 0 && strings.HasPrefix(a, prefixes[0]) {
			prefixes = prefixes[1:]
		}
	}
	return len(prefixes) == 0
}

// makeRepo writes the repository anew. Identity and dates are fixed and no
// configuration but its own is read, so the hashes are the same everywhere.
func makeRepo(repo, trees string) error {
	if err := os.RemoveAll(repo); err != nil {
		return err
	}
	if err := os.MkdirAll(repo, 0o755); err != nil {
		return err
	}
	base, head := filepath.Join(trees, "base"), filepath.Join(trees, "head")
	for _, step := range []func() error{
		func() error { return git(repo, "init", "--quiet", "--initial-branch=main") },
		func() error { return copyTree(repo, base) },
		func() error { return commit(repo, 0, "Add the shop") },
		func() error { return git(repo, "checkout", "--quiet", "-b", "spread-over-nodes") },
		func() error { return copyTree(repo, head) },
		func() error { return commit(repo, 1, "Spread web over nodes, release api 3.4.2") },
		// What refs/pull/1/merge is: checked out by actions/checkout for a pull request.
		func() error { return git(repo, "checkout", "--quiet", "--detach", "main") },
		func() error {
			return gitAt(repo, 2, "merge", "--quiet", "--no-ff", "-m", "Merge spread-over-nodes into main", "spread-over-nodes")
		},
		func() error { return git(repo, "update-ref", "refs/pull/1/merge", "HEAD") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func commit(repo string, hour int, subject string) error {
	if err := git(repo, "add", "--all"); err != nil {
		return err
	}
	return gitAt(repo, hour, "commit", "--quiet", "-m", subject)
}

func git(repo string, args ...string) error { return gitAt(repo, 0, args...) }

func gitAt(repo string, hour int, args ...string) error {
	date := fmt.Sprintf("2026-01-05T%02d:00:00Z", 9+hour)
	cmd := exec.Command("git", append([]string{"-c", "core.autocrlf=false", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = repo
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Shop", "GIT_AUTHOR_EMAIL=shop@example.invalid", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=Shop", "GIT_COMMITTER_EMAIL=shop@example.invalid", "GIT_COMMITTER_DATE="+date)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, said)
	}
	return nil
}

// copyTree copies the regular files below from into repo.
func copyTree(repo, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(repo, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, content, 0o644)
	})
}
