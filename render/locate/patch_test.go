package locate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
)

// TestSameScalarIsWhatDecodingSays wants every scalar to be the value that it decodes to, its text, and no other.
func TestSameScalarIsWhatDecodingSays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	words := []string{"true", "False", "yes", "Off", "null", "~", "on", "y", "0x1F", "1e3", "010", "1_000", ".inf", ".NaN",
		"+5", "2026-01-01", "false ", "nullable", "yesterday", "offset", "infinity", "Infinite", "nginx:1.2", "a: b", "- a",
		"web-0", "10m", "512Mi", "apps/v1", "abcdef\nghi", "abcdef ghi", "k#v", "v1.2.3-rc", "0b11", "1:30", "NaN", "<<", ""}
	draw := func() string {
		if r.IntN(3) > 0 {
			return words[r.IntN(len(words))]
		}
		b := make([]byte, 1+r.IntN(9))
		for i := range b {
			b[i] = "aefnotryux01.-_/E:"[r.IntN(18)]
		}
		return string(b)
	}
	same, other := 0, 0
	for range 20_000 {
		n := &yaml3.Node{Kind: yaml3.ScalarNode, Value: draw()}
		if r.IntN(4) == 0 {
			n.Style = yaml3.DoubleQuotedStyle
		}
		var v any = draw()
		if decoded, err := document.DecodeYAML([]byte(n.Value)); err == nil && r.IntN(3) == 0 {
			v = decoded
		}
		got, want := sameScalar(n, v), decodesTo(n, v)
		if got != want {
			t.Errorf("%q of style %d and %#v: %v, want %v", n.Value, n.Style, v, got, want)
		}
		if want {
			same++
		} else {
			other++
		}
	}
	if same < 1000 || other < 1000 {
		t.Errorf("%d are the same and %d are not: the test shows too little", same, other)
	}
}

func decodesTo(n *yaml3.Node, v any) bool {
	got, err := document.DecodeYAML([]byte(n.Value))
	if n.Style != 0 || err != nil {
		got = n.Value
	}
	return fmt.Sprint(got) == fmt.Sprint(v) || n.Value == fmt.Sprint(v)
}
