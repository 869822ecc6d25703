package pullrequests

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
)

// printAgainst prints where results differ from those that another folder holds of the same commits, as another binary
// gave them, and gives the number of commits that do. Times, and runs that time ended, are not compared.
func (s *store) printAgainst(w io.Writer, all []record) (int, error) {
	other := &store{options: s.options, dir: s.against}
	fmt.Fprintf(w, "\n## Other than in %s\n\n", s.against)
	compared, cut, differ := 0, 0, 0
	for _, r := range all {
		was, have, err := other.load(r.Repository, r.change)
		if err != nil {
			return 0, err
		}
		if !have {
			continue
		}
		if timed(r) || timed(was) {
			cut++
			continue
		}
		compared++
		a, b := other.plain(r), s.plain(r)
		at, is := difference("", a, b)
		if was.Exit != r.Exit {
			at, is = "exit code", true
		}
		if is {
			differ++
			fmt.Fprintf(w, "- %s %.12s: %s\n", r.Repository, r.Commit, at)
		}
	}
	fmt.Fprintf(w, "\n%d of %d commits differ; %d more were cut by time\n", differ, compared, cut)
	return differ, nil
}

// timed reports whether time ended a run.
func timed(r record) bool {
	return r.Exit < 0 || r.Result != nil && r.Result.Coverage.Bound == "time"
}

// plain is the result of a run as it was written, without what differs from run to run; nil: there is none.
func (s *store) plain(r record) any {
	b, err := os.ReadFile(s.file(r.Repository, r.Commit, "result.json"))
	var out map[string]any
	if err != nil || json.Unmarshal(b, &out) != nil {
		return nil
	}
	delete(out, "tool")
	if c, ok := out["coverage"].(map[string]any); ok {
		delete(c, "elapsedMs")
	}
	return out
}

// difference is the path of the first value in which two differ.
func difference(at string, a, b any) (string, bool) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			both := maps.Clone(x)
			maps.Copy(both, y)
			for _, k := range slices.Sorted(maps.Keys(both)) {
				if p, is := difference(at+"."+k, x[k], y[k]); is {
					return p, true
				}
			}
			return "", false
		}
	case []any:
		if y, ok := b.([]any); ok && len(x) == len(y) {
			for i := range x {
				if p, is := difference(fmt.Sprintf("%s[%d]", at, i), x[i], y[i]); is {
					return p, true
				}
			}
			return "", false
		}
	}
	return fmt.Sprintf("%s: %.80v, now %.80v", at, a, b), !reflect.DeepEqual(a, b)
}
