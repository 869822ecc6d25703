package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// called runs a command outside of any repository.
func called(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	p := &process{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: func(string) string { return "" }}
	code = execute(context.Background(), p, args)
	return code, out.String()
}

// A mistyped command is answered with the nearest one; --version says what version does; rules are completed; where
// there is no repository, the command for one state is named.
func TestCommandsAreFound(t *testing.T) {
	for _, tc := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"chekc"}, exitUsage, "\tcheck"},
		{[]string{"verfy", "."}, exitUsage, "\tverify"},
		{[]string{"xyzzy"}, exitUsage, "unknown command"},
		{[]string{"--version"}, exitPass, tool()},
		{[]string{"__complete", "explain", "no-l"}, exitPass, "no-longer-deployed"},
		{[]string{"check", "--repo", t.TempDir()}, exitUsage, "with kubesettle verify "},
	} {
		if code, said := called(t, tc.args...); code != tc.code || !strings.Contains(said, tc.says) {
			t.Errorf("%v: exit code %d, want %d and %q:\n%s", tc.args, code, tc.code, tc.says, said)
		}
	}
}
