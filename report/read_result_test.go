package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// A result of somebody else's run is read if it is one, and says whose it is.
func TestReadForeign(t *testing.T) {
	for k := range hostile {
		doc := written(t, func(b *bytes.Buffer) error { return JSON(b, hostileResult(k)) })
		r, err := ReadForeign([]byte(doc))
		if err != nil { // the schema fixes some words
			if !errors.Is(err, ErrNotAResult) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("hostile-%d: %v", k, err)
			}
			continue
		}
		checkOwnMarkup(t, Comment(r, testMarkdown()))
	}
	doc := written(t, func(b *bytes.Buffer) error { return JSON(b, loopResult()) })
	r, err := ReadForeign([]byte(doc))
	if err != nil || r.Notices[0].Kind != finding.ForeignRun || len(r.Findings) != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	if comment := Comment(r, testMarkdown()); !strings.Contains(comment, "its author can change") {
		t.Error("the comment does not say whose words it has")
	}
	for name, bad := range map[string]string{
		"nothing": "", "no JSON": "<html>", "another shape": `{"verdict":"pass"}`, "a list": "[]",
		"a verdict that is none": strings.Replace(doc, `"verdict": "fail"`, `"verdict": "great"`, 1),
		"a number in words":      strings.Replace(doc, `"states": 48211`, `"states": "many"`, 1),
		"too long":               doc + strings.Repeat(" ", maxForeignBytes),
	} {
		if _, err := ReadForeign([]byte(bad)); !errors.Is(err, ErrNotAResult) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
