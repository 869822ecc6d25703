package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	gitdiff "github.com/go-git/go-git/v5/utils/diff"
	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

// Hunk is a run of lines that a change replaced, without context. A side that has none of
// the lines has a last line before its first one.
type Hunk struct {
	HeadFirst, HeadLast int // lines of head, from 1
	BaseFirst, BaseLast int // lines of base, from 1
	Base                []string
}

// hunked is what [Changes.Hunks] gave of a file.
type hunked struct {
	hunks []Hunk
	err   error
}

// Hunks lists what a change replaced in a file that both sides have, in the file's
// order. Lines come without their ends. A file is compared once, however many ask: many
// findings are about one file. The caller keeps what it is given as it is.
// Errors: those of reading the file.
func (c *Changes) Hunks(file string) ([]Hunk, error) {
	c.comparing.Lock()
	defer c.comparing.Unlock()
	if h, ok := c.compared[file]; ok {
		return h.hunks, h.err
	}
	var h hunked
	h.hunks, h.err = c.compareLines(file)
	if c.compared == nil {
		c.compared = map[string]hunked{}
	}
	c.compared[file] = h
	return h.hunks, h.err
}

func (c *Changes) compareLines(file string) ([]Hunk, error) {
	if c.Base == nil {
		return nil, fmt.Errorf("%s: there is no base", file)
	}
	was, err := readText(c.Base, file)
	if err != nil {
		return nil, err
	}
	is, err := readText(c.Head, file)
	if err != nil {
		return nil, err
	}
	if strings.Count(was, "\n")+strings.Count(is, "\n") > 2*maxDiffLines {
		return nil, fmt.Errorf("%s: %w", file, tree.ErrTooBig)
	}
	return hunks(was, is), nil
}

func readText(r *Revision, file string) (string, error) {
	s, err := r.source()
	if err != nil {
		return "", err
	}
	b, err := s.Read(file)
	return string(b), err
}

func hunks(a, b string) []Hunk {
	var out []Hunk
	base, head := 1, 1
	var open *Hunk
	for _, d := range gitdiff.Do(a, b) {
		n := countLines(d.Text)
		if d.Type == diffmatchpatch.DiffEqual {
			base, head, open = base+n, head+n, nil
			continue
		}
		if open == nil {
			out = append(out, Hunk{HeadFirst: head, HeadLast: head - 1, BaseFirst: base, BaseLast: base - 1})
			open = &out[len(out)-1]
		}
		if d.Type == diffmatchpatch.DiffInsert {
			head += n
			open.HeadLast = head - 1
			continue
		}
		base += n
		open.BaseLast = base - 1
		for _, l := range strings.SplitAfter(d.Text, "\n") {
			if l != "" {
				open.Base = append(open.Base, strings.TrimRight(l, "\r\n"))
			}
		}
	}
	return out
}

// errNotRead says that a release does not read a file.
var errNotRead = errors.New("is not a file of the release")

// Edited renders a release once more with another text in one of its files, as if head
// had been committed so. What it gives shares nothing with the revision.
// Errors: a release that the revision does not have or that failed, a file that it does
// not read; what the edit breaks is the release's own failure.
func (r *Revision) Edited(ctx context.Context, id, file string, text []byte) (*Rendered, error) {
	var was *Rendered
	for _, one := range r.Releases {
		if one.ID == id {
			was = one
		}
	}
	if was == nil || was.recipe == nil || was.Err != nil {
		return nil, fmt.Errorf("release %s: %w", id, tree.ErrNoRevision)
	}
	if _, ok := was.recipe.Files[file]; !ok {
		return nil, fmt.Errorf("%s: %w %s", file, errNotRead, id)
	}
	if was.recipe.Declares[file] {
		return r.declaredAnew(ctx, id, file, text)
	}
	return r.again(ctx, was, file, text)
}

// declaredAnew renders a release with another text in a file that declares it, such as its HelmRelease: what that file
// alone declares, or else all that the tree does.
func (r *Revision) declaredAnew(ctx context.Context, id, file string, text []byte) (*Rendered, error) {
	narrow := *r
	narrow.opt.Paths = []string{file}
	for _, rev := range []*Revision{&narrow, r} {
		if rev == r && len(r.Releases) > mostOthers {
			break
		}
		with, err := rev.With(ctx, file, text)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(with.Releases, func(x *Rendered) bool { return x.ID == id }); i >= 0 {
			return with.Releases[i], nil
		}
	}
	return nil, fmt.Errorf("%s: %w %s", file, errNotRead, id)
}

// again renders a release with another text in a file that it reads.
func (r *Revision) again(ctx context.Context, was *Rendered, file string, text []byte) (*Rendered, error) {
	src, err := source.New(r.Tree)
	if err != nil {
		return nil, err
	}
	opt := r.opt
	opt.Sandbox = locate.ForTrials(opt.Sandbox)
	opt.Workers = 1
	run := worker.New(ctx, opt.running())
	defer run.Close()
	j := &release.Recipe{Release: was.recipe.Release, Files: maps.Clone(was.recipe.Files), Chart: was.recipe.Chart,
		Inflate: was.recipe.Inflate, Bases: was.recipe.Bases, Fetched: was.recipe.Fetched, Notes: was.recipe.Notes,
		Encrypted: was.recipe.Encrypted, Template: was.recipe.Template, Declares: was.recipe.Declares}
	j.Files[file] = text
	s := &side{
		src: src, opt: opt, runner: run, releases: []release.Release{was.Release}, recipes: []*release.Recipe{j},
		failed: make([]*document.Failure, 1), outputs: make([]release.Output, 1),
		spent: &times{}, byID: map[string]int{was.ID: 0},
	}
	s.run(0)
	s.outputs[0].Docs = expand(s.outputs[0].Docs)
	edited := s.rendered(0, r.scopes)
	edited.know(r.known)
	return edited, nil
}

// With renders the whole tree once more with another text in one of its files, as if it had been committed so: other
// releases may be discovered then, and delivered otherwise. What it gives shares nothing with the revision.
// Errors: a file that is not there; those of [Render].
func (r *Revision) With(ctx context.Context, file string, text []byte) (*Revision, error) {
	t, ok := tree.With(r.Tree, file, text)
	if !ok {
		return nil, fmt.Errorf("%s: %w", file, fs.ErrNotExist)
	}
	opt := r.opt
	opt.Sandbox = locate.ForTrials(opt.Sandbox)
	return Render(ctx, t, opt)
}

// plainLine is "key: value" with a short value on the same line, or a key alone.
var plainLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:- )?["']?([A-Za-z0-9_./-]+)["']?:(?:\s+([^#|>&*!{\[].{0,100}))?\s*$`)
})

// labelKeys is a list of which every word is known, and the head of a kustomization's patch, whose lines follow.
var labelKeys = strings.NewReplacer("matchLabelKeys: [pod-template-hash]", "matchLabelKeys: pod-template-hash",
	"- patch: |-", "- patch: of")

// operand is a value of a JSON patch that nobody has for a secret: a small number, which an environment variable cannot
// have without quotes, a share, an amount, a yes or no, and words of the API server's types.
var operand = regexp.MustCompile(`^\s*value: ([0-9]{1,3}%?|[0-9]{1,4}(m|Mi|Gi)|true|false|Recreate|RollingUpdate|` +
	`ScheduleAnyway|DoNotSchedule|Honor|AlwaysAllow|Never|Forbid)$`)

// openedMap is a key with a map in braces.
var openedMap = regexp.MustCompile(`["']?([A-Za-z0-9_./-]+)["']?:\s*\{`)

// plainMaps are the keys whose maps hold what the API server's own types name, or labels and amounts. Any other map may
// hold a secret under a name of somebody's own, such as the parameters of a StorageClass.
var plainMaps = func() map[string]bool {
	out := map[string]bool{}
	for _, k := range strings.Fields(`spec metadata template selector labelSelector matchLabels labels nodeSelector
		resources requests limits hard strategy updateStrategy rollingUpdate behavior scaleUp scaleDown scaleTargetRef
		target resource object metric affinity nodeAffinity podAffinity podAntiAffinity podAffinityTerm preference
		topologySpreadConstraints disruptionBudget updatePolicy resourcePolicy syncPolicy automated`) {
		out[k] = true
	}
	return out
}()

// Plain reports whether lines of YAML may be shown: each is a key, with a short value that
// does not look like a secret and stands under no key that tells of one, or a map of such
// in braces, with one of some keys or without. What it cannot tell it does not let through, such as the value of
// an environment variable.
func Plain(lines []string) bool {
	for _, l := range lines {
		if l = labelKeys.Replace(l); l == "---" {
			continue
		}
		inner := strings.TrimPrefix(strings.TrimSpace(l), "- ")
		if strings.HasSuffix(inner, "}") && (strings.HasPrefix(inner, "{") || strings.Contains(inner, ": {")) {
			for _, m := range openedMap.FindAllStringSubmatch(inner, -1) {
				if !plainMaps[m[1]] {
					return false
				}
			}
			parts := strings.FieldsFunc(inner, func(r rune) bool { return strings.ContainsRune("{},", r) })
			if parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }); !Plain(parts) {
				return false
			}
			continue
		}
		if operand.MatchString(l) {
			continue
		}
		m := plainLine().FindStringSubmatch(l)
		if m == nil || redact.Tells(m[1]) || m[1] == "value" || m[1] == "data" || m[1] == "stringData" {
			return false
		}
		if text := strings.Trim(m[2], ` "'`); highEntropy(text) || redact.Text(l) != l {
			return false
		}
	}
	return true
}

// highEntropy reports whether a text looks like random key material: long, without spaces,
// and of three classes of characters in a good mixture. Digests and image names do not.
func highEntropy(text string) bool {
	if len(text) < 32 || len(text) > 4096 || strings.ContainsAny(text, " \n\t:/.") {
		return false
	}
	var lower, upper, digit, turns int
	class := 0
	for _, r := range text {
		now := 0
		switch {
		case r >= 'a' && r <= 'z':
			lower++
			now = 1
		case r >= 'A' && r <= 'Z':
			upper++
			now = 2
		case r >= '0' && r <= '9':
			digit++
			now = 3
		}
		if now != class {
			turns++
		}
		class = now
	}
	return lower > 3 && upper > 3 && digit > 2 && turns*3 > len(text)
}
