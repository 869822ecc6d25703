package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The libraries that set up most before main begins do so after garbage was let lie, and nothing is collected by then.
func TestGarbageLiesFromTheBeginning(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1,gctrace=1", "GOGC=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before, after, ok := strings.Cut(string(out), "init github.com/kubesettle/kubesettle/cmd/kubesettle/early ")
	if !ok {
		t.Fatalf("it is not initialised:\n%s", out)
	}
	for _, heavy := range []string{"github.com/santhosh-tekuri/jsonschema/v6", "k8s.io/client-go/kubernetes/scheme"} {
		if strings.Contains(before, "init "+heavy+" ") || !strings.Contains(after, "init "+heavy+" ") {
			t.Errorf("%s is not initialised after it:\n%s", heavy, out)
		}
	}
	if setUp, _, _ := strings.Cut(after, "init k8s.io/client-go/kubernetes/scheme "); strings.Contains(setUp, "\ngc ") {
		t.Errorf("garbage was collected:\n%s", out)
	}
}
