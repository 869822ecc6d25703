package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	for name, id := range map[string]string{"explain.txt": "unschedulable", "explain-list.txt": ""} {
		var b bytes.Buffer
		if err := Explain(&b, id, ExplainOptions{Rules: testRules}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
	}
	err := Explain(&bytes.Buffer{}, "never-setles", ExplainOptions{Rules: testRules})
	if !errors.Is(err, ErrUnknownRule) || !strings.Contains(err.Error(), "never-settles") {
		t.Errorf("a typing error: %v", err)
	}
}

// Colour is only markup: without it the text is the same.
func TestColorAddsNoText(t *testing.T) {
	plain, coloured := &bytes.Buffer{}, &bytes.Buffer{}
	if err := Text(plain, loopResult(), Options{Rules: testRules}); err != nil {
		t.Fatal(err)
	}
	if err := Text(coloured, loopResult(), Options{Rules: testRules, Color: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Error("colour where none was asked for")
	}
	if !strings.Contains(coloured.String(), "\x1b[1;31mFAIL") || stripANSI(coloured.String()) != plain.String() {
		t.Error("the coloured text is another")
	}
}
