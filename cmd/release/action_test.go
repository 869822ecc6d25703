package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const digested = "ghcr.io/kubesettle/kubesettle@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// This repository's action, pinned, is the same but for the image; pinning it again is refused.
func TestPinThisAction(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := pinAction(text, digested)
	if err != nil {
		t.Fatal(err)
	}
	before, after := strings.Split(string(text), "\n"), strings.Split(string(pinned), "\n")
	if len(before) != len(after) {
		t.Fatalf("%d lines became %d", len(before), len(after))
	}
	changed := 0
	for i := range before {
		if before[i] != after[i] {
			changed++
			if before[i] != "  image: Dockerfile" || after[i] != "  image: docker://"+digested {
				t.Errorf("%q became %q", before[i], after[i])
			}
		}
	}
	if changed != 1 {
		t.Errorf("%d lines changed", changed)
	}
	var action struct{ Runs struct{ Using, Image string } }
	if err := yaml.Unmarshal(pinned, &action); err != nil || action.Runs.Image != "docker://"+digested || action.Runs.Using != "docker" {
		t.Errorf("%+v, %v", action, err)
	}
	if _, err := pinAction(pinned, digested); !errors.Is(err, errReleased) {
		t.Errorf("pinned twice: %v", err)
	}
}

// Only the value changes, however the file is written; what is not understood is refused.
func TestPinAction(t *testing.T) {
	for _, tc := range []struct{ title, text, want, refused string }{
		{"a comment", "runs: # image: Dockerfile\n  using: docker\n  image: Dockerfile # built\n", "runs: # image: Dockerfile\n  using: docker\n  image: docker://" + digested + " # built\n", ""},
		{"a flow mapping", "runs: {using: docker, image: Dockerfile}", "runs: {using: docker, image: docker://" + digested + "}", ""},
		{"CRLF", "runs:\r\n  using: docker\r\n  image: Dockerfile\r\n", "runs:\r\n  using: docker\r\n  image: docker://" + digested + "\r\n", ""},
		{"another image", "image: Dockerfile\nruns: {using: docker, image: Other}\n", "", "want the plain word Dockerfile"},
		{"a tag", "runs: {using: docker, image: 'docker://ghcr.io/x/y:v1'}\n", "", "want the plain word Dockerfile"},
		{"quoted", "runs: {using: docker, image: 'Dockerfile'}\n", "", "want the plain word"},
		{"twice", "runs: {using: docker, image: Dockerfile, image: Dockerfile}\n", "", "twice"},
		{"no image", "runs: {using: docker}\n", "", "image is missing"},
		{"no runs", "image: Dockerfile\n", "", "runs is missing"},
		{"composite", "runs: {using: composite, image: Dockerfile}\n", "", "only a docker action"},
		{"empty", "", "", "empty"},
		{"a list", "- runs\n", "", "runs is missing"},
		{"no YAML", "runs: [\n", "", "action.yml"},
	} {
		got, err := pinAction([]byte(tc.text), digested)
		if tc.refused != "" {
			if err == nil || !strings.Contains(err.Error(), tc.refused) {
				t.Errorf("%s: %q, %v", tc.title, got, err)
			}
			continue
		}
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %q, %v", tc.title, got, err)
		}
	}
	for _, image := range []string{"", "ghcr.io/kubesettle/kubesettle:v0.1.0", "ghcr.io/x/y@sha256:12", "docker://" + digested, "https://" + digested, digested + "\nruns:"} {
		if got, err := pinAction([]byte("runs: {using: docker, image: Dockerfile}\n"), image); err == nil {
			t.Errorf("%q is taken: %s", image, got)
		}
	}
}

// v0 and v0.1 move along, but never back, and never to what is no release yet.
func TestMovingTags(t *testing.T) {
	for _, tc := range []struct {
		version  string
		existing string
		want     string
	}{
		{"v0.1.0", "", "v0.1 v0"},
		{"v0.1.0", "v0.1.0 v0.1 v0", "v0.1 v0"},
		{"v0.1.1", "v0.1.0 v0.1 v0 nightly", "v0.1 v0"},
		{"v0.1.2", "v0.1.0 v0.2.0 v0.1 v0", "v0.1"},
		{"v0.1.2", "v0.1.3 v0.2.0", ""},
		{"v0.1.10", "v0.1.9", "v0.1 v0"},
		{"v1.0.0", "v0.9.0 v2.0.0", "v1.0 v1"},
		{"v0.2.0-rc.1", "v0.1.0", ""},
		{"v0.1.0", "v0.1.1-rc.1", "v0.1 v0"},
	} {
		got, err := moving(tc.version, strings.Fields(tc.existing))
		if err != nil || strings.Join(got, " ") != tc.want {
			t.Errorf("%s of %s: %v, %v; want %s", tc.version, tc.existing, got, err, tc.want)
		}
	}
	for _, wrong := range []string{"", "0.1.0", "v0.1", "v0.1.0+build", "release", "v0.1.0 v0"} {
		if got, err := moving(wrong, nil); err == nil {
			t.Errorf("%q is taken: %v", wrong, got)
		}
	}
}
