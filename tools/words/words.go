// Package words counts patterns of English that read as if translated, in the manual, in texts of the program (among
// them --help) and in its comments.
package words

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

const verb = `(?:is|are|was|were|has|have|does|do|can|says|gives|takes|needs|makes|reads|asks|runs|stands|comes|changes)`

// A pattern is one of the style guide's; what cannot be told by its words is found by its commonest forms.
type pattern struct {
	name string
	re   *regexp.Regexp
}

var patterns = []pattern{
	{"headless relative (what X is, who does)", regexp.MustCompile(`(?i)(?:\w+ )?\bwhat (?:\w+ ){0,3}?` + verb + `\b[^.;|]{0,80}|(?:\w+ )?\bwho ` + verb + `\b`)},
	{"as for like", regexp.MustCompile(`(?i)\bas (?:any|every|all|the) other|\bas (?:others|who|a person) ?(?:do|does)?\b`)},
	{"of its own, for ever, anew, told, mend, nobody", regexp.MustCompile(`(?i)\bof (?:its|their|his) own\b|\bfor ever\b|\banew\b|\btold\b|\bmend(?:s|ed|ing)?\b|\bnobody\b|\bstands? beside\b`)},
	{"noun phrase as a sentence", regexp.MustCompile(`(?:^|[.;|] )\w+(?: [a-z]+){0,4}: (?:at most|inconclusive|none|nothing|no|not|refused|unknown|\d[\d,]*)\b`)},
	{"chain of where, so that, as (three or more)", regexp.MustCompile(`(?i)(?:\b(?:where|so that|as)\b[^.;:|]*){3}`)},
	{"two negatives, but for, not unless", regexp.MustCompile(`(?i)\bbut for\b|\bnot unless\b|\bnothing but\b|\bno \w+ (?:that|which) (?:\w+ )?not?\b|\bnot without\b|\bno more than no\b`)},
	{"definition by exclusion", regexp.MustCompile(`(?i)\b(?:what|whom) (?:no|none|nothing|nobody)\b|\b(?:that|which) (?:nothing|nobody)\b|\bnone of (?:them|these|both)\b`)},
}

// native matches what a native speaker writes as well: a question, asked or reported, people who do something, and the
// name of a command of ours.
var native = regexp.MustCompile(`(?i)^(?:says?|said|shows?|shown|see|know|describes?|asks?|lists?|finds?|decides?|and) what\b|^what\b[^.;|]*\?|` +
	`^(?:people|anyone|those|users?|others|reader|author|person|team|owners?) who\b|^mends$`)

// Run prints how often each pattern is found; -v lists where.
func Run(args []string) (int, error) {
	set, b := corpus.Flags("words", "", 0)
	verbose := set.Bool("v", false, "list every place")
	if _, err := b.Parse(set, args, 0); err != nil {
		return 2, err
	}
	places := []string{"manual", "texts", "comments"}
	counts, words := map[string]int{}, map[string]int{}
	count := func(place, at, text string) {
		words[place] += len(strings.Fields(text))
		for _, p := range patterns {
			for _, found := range p.re.FindAllString(text, -1) {
				if native.MatchString(found) {
					continue
				}
				if counts[p.name+place]++; *verbose {
					fmt.Printf("%s: %s: %s: %s\n", at, place, p.name, strings.Join(strings.Fields(found), " "))
				}
			}
		}
	}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case file == "tools/words/words.go": // which names the patterns
			return nil
		case d.IsDir() && (name == "testdata" || name == "bin" || name == "out" || name == "dist" || len(name) > 1 && name[0] == '.'):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".md") && (!strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil || strings.HasSuffix(file, ".md") {
			for i, line := range strings.Split(prose(string(text)), "\n") {
				count("manual", fmt.Sprintf("%s:%d", file, i+1), line)
			}
			return err
		}
		goFile(file, text, count)
		return nil
	})
	if err != nil {
		return 2, err
	}
	corpus.Head(os.Stdout, append([]string{"pattern"}, places...)...)
	for _, p := range patterns {
		corpus.Row(os.Stdout, p.name, counts[p.name+"manual"], counts[p.name+"texts"], counts[p.name+"comments"])
	}
	corpus.Row(os.Stdout, "words", words["manual"], words["texts"], words["comments"])
	return 0, nil
}

var (
	fences = regexp.MustCompile("(?ms)^```.*?^```$")
	wraps  = regexp.MustCompile(`([^\n|])\n([^\n|#*<-])`)
)

// prose leaves out the examples of a page and unwraps its paragraphs.
func prose(page string) string {
	return wraps.ReplaceAllString(fences.ReplaceAllString(page, ""), "$1 $2")
}

// goFile counts in a file's comments, group by group, and in its texts of three words or more.
func goFile(file string, text []byte, count func(place, at, text string)) {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile(file, -1, len(text)), text, nil, scanner.ScanComments)
	comment, from, last := "", "", 0
	for {
		pos, kind, lit := s.Scan()
		at := set.Position(pos)
		if kind != token.COMMENT || at.Line != last+1 {
			count("comments", from, comment)
			comment, from = "", fmt.Sprintf("%s:%d", file, at.Line)
		}
		switch {
		case kind == token.EOF:
			return
		case kind == token.COMMENT:
			comment, last = comment+" "+strings.TrimPrefix(lit, "//"), at.Line
		case kind == token.STRING && strings.Count(lit, " ") > 1:
			count("texts", fmt.Sprintf("%s:%d", file, at.Line), lit)
		}
	}
}
