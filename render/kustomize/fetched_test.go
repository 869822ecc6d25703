package kustomize

import (
	"strings"
	"testing"
)

func TestBaseAddresses(t *testing.T) {
	for ref, want := range map[string]remoteBase{
		"github.com/org/repo//a/b?ref=v1":                    {"https://github.com/org/repo", "a/b", "v1"},
		"github.com/org/repo/a/b?ref=v1":                     {"https://github.com/org/repo", "a/b", "v1"},
		"github.com/org/repo?ref=v1":                         {"https://github.com/org/repo", ".", "v1"},
		"https://github.com/org/repo.git//a?version=v2":      {"https://github.com/org/repo.git", "a", "v2"},
		"https://github.com/org/repo.git/a?version=v2&ref=v": {"https://github.com/org/repo.git", "a", "v"},
		"git::https://example.com/g/s/repo//a?ref=v":         {"https://example.com/g/s/repo", "a", "v"},
		"https://dev.azure.com/o/p/_git/repo/a/b?ref=v":      {"https://dev.azure.com/o/p/_git/repo", "a/b", "v"},
	} {
		got, why := parseBase(ref)
		if why != "" || got != want {
			t.Errorf("%s is %+v %s, want %+v", ref, got, why, want)
		}
	}
}

func FuzzBaseAddress(f *testing.F) {
	f.Add("github.com/org/repo//a?ref=v1")
	f.Fuzz(func(t *testing.T, ref string) {
		b, why := parseBase(ref)
		if why == "" && (!strings.HasPrefix(b.address, "https://") || b.path == ".." || strings.HasPrefix(b.path, "../") || strings.HasPrefix(b.path, "/")) {
			t.Fatalf("%q is %+v", ref, b)
		}
	})
}
