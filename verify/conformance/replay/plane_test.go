package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStartFails starts what is no control plane: the error names the component and
// repeats what it said last, and nothing is left behind.
func TestStartFails(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"no binary", "", "`make controlplane` builds it"},
		{"port taken", `[ "$1" = etcd ] || exec sleep 60; echo listen tcp 127.0.0.1:2379: bind: address already in use >&2; exit 1`, "etcd ended in mid-replay (exit status 1); it said last: listen tcp 127.0.0.1:2379: bind: address already in use"},
		{"API server dies", `[ "$1" = etcd ] && exec sleep 60; echo no >&2; exit 3`, "kube-apiserver ended in mid-replay (exit status 3); it said last: no"},
		{"killed", `[ "$1" = etcd ] && exec sleep 60; kill -9 $$`, "kube-apiserver ended in mid-replay (signal: killed); it said last: nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			binary := filepath.Join(t.TempDir(), "controlplane")
			if tt.script != "" {
				if err := os.WriteFile(binary, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Start(t.Context(), binary, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want an error with %q, got %v", tt.want, err)
			}
			if left, _ := os.ReadDir(tmp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
