package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// NoteText is the text of a note.
func NoteText(n finding.Note) string {
	of, said := noteParts(n)
	if of == "" {
		return said
	}
	return of + ": " + said
}

// noteTexts are what notes say, in order; never nil.
func noteTexts(list []finding.Note) []string {
	out := []string{}
	for _, n := range list {
		out = append(out, NoteText(n))
	}
	return out
}

// noteParts are the subject and the statement of a note. A kind of another version is shown as it is.
func noteParts(n finding.Note) (of, said string) {
	w, ok := wordsOf[n.Kind]
	switch {
	case !ok:
		return "", n.String()
	case w.make != nil:
		return noteFill(w.of, n), w.make(n)
	}
	return noteFill(w.of, n), noteFill(w.said, n)
}

// doAbout is the one thing to do about a note that is open, or "".
func doAbout(n finding.Note) string { return noteFill(wordsOf[n.Kind].do, n) }

// noteFill puts the fields of a note into a template. Braces inside a field are left as they are.
func noteFill(template string, n finding.Note) string {
	if !strings.Contains(template, "{") {
		return template
	}
	at := n.File
	if n.Line > 0 {
		at += ":" + strconv.Itoa(n.Line)
	}
	gone := "releases are gone"
	if len(n.Names) == 1 {
		gone = "release is gone"
	}
	fixes := "a fix was"
	if n.Arg(1) != "1" {
		fixes = n.Arg(1) + " fixes were"
	}
	object := n.Object
	if object == "" {
		object = "any workload"
	}
	untouched, _ := strconv.Atoi(n.Arg(1))
	return strings.NewReplacer("{0}", n.Arg(0), "{1}", n.Arg(1), "{2}", n.Arg(2), "{3}", n.Arg(3),
		"{release}", n.Release, "{object}", n.Object, "{any}", object, "{file}", n.File, "{at}", at,
		"{names}", strings.Join(n.Names, ", "), "{names; }", strings.Join(n.Names, "; "), "{few}", few(n.Names),
		"{three}", firstAnd(3, n.Names), "{gone}", gone, "{fixes}", fixes,
		"{untouched}", count(untouched, "untouched release")).Replace(template)
}

// few are the first names of a list, with how many follow as one of them.
func few(names []string) string {
	const most = 5
	if n := len(names); n > most {
		names = append(names[:most:most], fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(names, ", ")
}

// firstAnd are the first names of a list, and how many follow.
func firstAnd(most int, names []string) string {
	s := strings.Join(names[:min(most, len(names))], ", ")
	if n := len(names) - most; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

func heldStill(n finding.Note) string {
	movers := map[string]string{"drain": "a drain", "descheduler": "the descheduler", "autoscaler": "a node autoscaler"}
	var by []string
	for _, m := range n.Args {
		by = append(by, movers[m])
	}
	return fmt.Sprintf("the pods of %s stay where they are, even where %s would move them", firstAnd(20, n.Names),
		strings.Join(by, " or "))
}

func randomRuns(n finding.Note) string {
	found := "they found nothing more; this proves nothing"
	if n.Arg(3) != "0" {
		found = "their findings are real, and the rest is open"
	}
	return "the declared size was not searched to the end, so random runs were taken there; " + found
}

// threes calls do with each three of a list.
func threes(list []string, do func(a, b, c string)) {
	for i := 0; i+2 < len(list); i += 3 {
		do(list[i], list[i+1], list[i+2])
	}
}

// flagWords say what the flags of the cluster autoscaler are about that a note may name.
var flagWords = map[string]string{
	"scale-down-enabled":                     "whether nodes are removed at all",
	"scale-down-utilization-threshold":       "below which share of requested CPU and memory a node's pods are evicted and it is removed",
	"scale-down-unneeded-time":               "how long a node is unneeded before it is removed",
	"scale-down-delay-after-add":             "how long after a new node none is removed",
	"skip-nodes-with-local-storage":          "whether nodes are kept for pods with an emptyDir or hostPath",
	"skip-nodes-with-system-pods":            "whether nodes are kept for pods of kube-system without a budget",
	"skip-nodes-with-custom-controller-pods": "whether nodes are kept for pods of other controllers",
	"expander":                               "which group of nodes grows",
	"balance-similar-node-groups":            "whether similar groups, as of several zones, are kept alike in size",
	"max-nodes-total":                        "how many nodes there are at most",
	"max-graceful-termination-sec":           "how long evicted pods have to end",
	"expendable-pods-priority-cutoff":        "below which priority pods neither keep a node nor bring one",
}

func timeFellShort(n finding.Note) string {
	return withTimeMore("the time budget (--time-budget) ended with {0} of {1} searches unfinished", n)
}

func cutBeforeReleases(n finding.Note) string {
	template := "the time budget (--time-budget) ended with {0} of {1} releases not rendered"
	if n.Arg(3) == "true" { // what they declare comes on top
		template += ", which take {2} s or more at this speed"
	}
	return noteFill(template, n)
}

// withTimeMore adds by how much the time fell short, where that is known.
func withTimeMore(template string, n finding.Note) string {
	if n.Arg(3) == "true" {
		template += ", which take about {2} s more at this speed"
	}
	return noteFill(template, n)
}

func flagsChanged(n finding.Note) string {
	var changed []string
	about := ""
	or := func(s string) string {
		if s == "" {
			return "its default"
		}
		return s
	}
	threes(n.Names, func(flag, was, is string) {
		changed, about = append(changed, fmt.Sprintf("--%s goes from %s to %s", flag, or(was), or(is))), flagWords[flag]
	})
	s := strings.Join(changed, ", ") + ", in " + noteFill("{at}", n)
	if len(changed) == 1 {
		s += " (" + about + ")"
	}
	if len(n.Args) > 0 {
		s += ", for all nodes that it scales; not searched, as no pool of cluster.nodePools is autoscaled"
	}
	return s
}

// reasoned are the first of some names, each with its argument.
func reasoned(n finding.Note, words func(string) string) string {
	var out []string
	for i, name := range n.Names {
		if why := words(n.Arg(i)); why != "" {
			name += " (" + why + ")"
		}
		out = append(out, name)
	}
	return few(out)
}

func usedByNone(n finding.Note) string { return reasoned(n, func(why string) string { return why }) }

func releaseGoneWith(n finding.Note) string {
	text := noteFill("release {release} is gone, and takes {few} with it", n)
	if n.Arg(0) != "" {
		text += noteFill(", unless they are those of release {0}", n)
	}
	return text
}

func releasesGone(n finding.Note) string {
	return reasoned(n, func(had string) string {
		return map[string]string{"failed": "it did not render on base", "none": "no workloads"}[had]
	})
}

func baselineStale(n finding.Note) string {
	var gone []string
	threes(n.Names, func(rule, workload, at string) {
		gone = append(gone, fmt.Sprintf("%s (%s)", noteFill("{0} of {any}", finding.Say("", rule).On(workload)), at))
	})
	return "baseline: no longer found: " + few(gone) + ": remove them from the file"
}

func policyHides(n finding.Note) string {
	return fmt.Sprintf("policy change: %s shows less than base's, because of %s: %s; base's still decides here, and nothing of it is called fixed",
		n.File, strings.Join(n.Args, ", "), firstAnd(5, n.Names))
}
