// Package demo makes the repository of `make demo`, runs Kubesettle on its pull request and checks that what it says is
// what the README shows.
//
// The repository has the shape that actions/checkout leaves: a base commit on main, a head commit on a branch, and the
// merge of both checked out.
package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// reports are the files of the outputs.
var reports = [][2]string{{"json", "result.json"}, {"sarif", "result.sarif"}, {"comment", "comment.md"},
	{"summary", "summary.md"}, {"diff", "diff.md"}, {"html", "report.html"}}

// The README shows the demo's first finding between these lines.
const readmeFrom, readmeTo = "<!-- demo: the first finding of out/comment.md -->\n", "<!-- /demo -->\n"

// Run makes the demo; it fails unless the finding is the one that is wanted.
func Run(args []string) (int, error) {
	set, b := corpus.Flags("demo", "", 0)
	trees := set.String("trees", "testdata/demo", "folder of base, and of the files of head that differ")
	out := set.String("out", "out", "folder for the repository and the reports")
	only := set.Bool("repo-only", false, "make the repository and stop")
	rewrite := set.Bool("rewrite", false, "put the finding into README.md instead of comparing")
	folder := set.String("pictures", "", "folder of pictures of the reports: taken with -chromium, else compared")
	chromium := set.String("chromium", "", "browser that takes the pictures")
	if _, err := b.Parse(set, args, 0); err != nil {
		return 2, err
	}
	repo := filepath.Join(*out, "demo-repo")
	if err := makeRepo(repo, *trees); err != nil || *only {
		return 0, err
	}
	if err := show(*b, repo, *out); err != nil {
		return 2, err
	}
	said, err := os.ReadFile(filepath.Join(*out, "comment.md"))
	if err != nil {
		return 2, err
	}
	finding, err := firstFinding(string(said))
	if err == nil {
		err = corpus.Between("README.md", readmeFrom, readmeTo, finding, *rewrite)
	}
	if err != nil {
		return 2, fmt.Errorf("%w: make readme", err)
	}
	switch {
	case *folder != "" && *chromium != "":
		err = takePictures(*b, *out, *chromium, *folder)
	case *folder != "":
		err = comparePictures(*b, *out, *folder)
	}
	return 0, err
}

// firstFinding cuts the first finding's section out of a comment.
func firstFinding(comment string) (string, error) {
	const heading = "\n### "
	_, rest, ok := strings.Cut(comment, heading)
	if !ok {
		return "", errors.New("no finding in the comment")
	}
	section, _, _ := strings.Cut(rest, heading)
	section, _, _ = strings.Cut(section, "\n---\n") // the comment's foot
	section, _, _ = strings.Cut(section, "\n<details>")
	return "\n### " + section + "\n", nil
}

// show runs the check with every output, and demands the finding.
func show(b corpus.Binary, repo, out string) error {
	args := []string{"check", "--repo", repo, "--base", "main", "--head", "spread-over-nodes", "--output", "text"}
	for _, r := range reports {
		args = append(args, "--output", r[0]+"="+filepath.Join(out, r[1]))
	}
	fmt.Printf("$ kubesettle %s\n", strings.Join(args, " "))
	run, err := b.Run("", args...)
	fmt.Printf("%s%s\n", run.Output, run.Said)
	if err != nil {
		return err
	} else if run.Exit != 1 {
		return fmt.Errorf("kubesettle ended with exit code %d, want 1: the demo's pull request must not pass the gate", run.Exit)
	}
	for _, r := range reports {
		if raw, err := os.ReadFile(filepath.Join(out, r[1])); err != nil {
			return err
		} else if len(raw) == 0 {
			return fmt.Errorf("%s is empty", r[1])
		}
	}
	if err := inspect(filepath.Join(out, "result.json")); err != nil {
		return err
	}
	fmt.Printf("\ndemo: as expected, exit code 1 and the finding below; the reports are in %s/\ndemo: %s\n", out, want)
	return nil
}

// want is what the demo must find, and from which file.
const want = "new finding unschedulable of apps/Deployment prod/web, from deploy/web/overlays/prod/spread.yaml"

// inspect demands the finding, its interleaving in the order of the story, and its line.
func inspect(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var r corpus.Result
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if r.Verdict != "fail" {
		return fmt.Errorf("%s: verdict is %q, want \"fail\"", file, r.Verdict)
	}
	for _, f := range r.Findings {
		if len(f.Locations) == 0 || want != fmt.Sprintf("%s finding %s of %s, from %s", f.Status, f.Rule, f.Workload, f.Locations[0].File) {
			continue
		}
		actors := []string{"load", "hpa", "deployment", "scheduler"}
		for _, s := range f.Interleaving {
			if len(actors) > 0 && strings.HasPrefix(s.Actor, actors[0]) {
				actors = actors[1:]
			}
		}
		if len(actors) > 0 {
			return fmt.Errorf("%s: the interleaving of %s is %v: no %s at its place", file, f.Rule, f.Interleaving, actors[0])
		}
		if !f.Locations[0].InDiff {
			return fmt.Errorf("%s: the primary location of %s is %+v, want a changed line", file, f.Rule, f.Locations[0])
		}
		return nil
	}
	return fmt.Errorf("%s: no %s", file, want)
}

// makeRepo writes the repository from scratch. Identity and dates are fixed and only its own configuration is read, so
// the hashes are the same everywhere.
func makeRepo(repo, trees string) error {
	if err := os.RemoveAll(repo); err != nil {
		return err
	}
	if err := os.MkdirAll(repo, 0o755); err != nil {
		return err
	}
	run := func(hour int, args ...string) func() error { return func() error { return git(repo, hour, args...) } }
	tree := func(name string) func() error {
		return func() error { return overwrite(repo, filepath.Join(trees, name)) }
	}
	for _, step := range []func() error{
		run(0, "init", "--quiet", "--initial-branch=main"),
		tree("base"),
		run(0, "add", "--all"),
		run(0, "commit", "--quiet", "-m", "Add the shop"),
		run(0, "checkout", "--quiet", "-b", "spread-over-nodes"),
		tree("head"),
		run(0, "add", "--all"),
		run(1, "commit", "--quiet", "-m", "Spread web over nodes, release api 3.4.2"),
		// What refs/pull/1/merge is: checked out by actions/checkout for a pull request.
		run(0, "checkout", "--quiet", "--detach", "main"),
		run(2, "merge", "--quiet", "--no-ff", "-m", "Merge spread-over-nodes into main", "spread-over-nodes"),
		run(0, "update-ref", "refs/pull/1/merge", "HEAD"),
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func git(repo string, hour int, args ...string) error {
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

// overwrite copies the files below a folder over those of the repository.
func overwrite(repo, from string) error {
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
