package verify

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestWhatWaitsComesEarlier: where a rollout cannot end without what comes in a later sync wave, which waits for it, the
// fix that was tried first has that come in the same wave.
func TestWhatWaitsComesEarlier(t *testing.T) {
	for script, moved := range map[string]string{
		"sync_wave_brings_the_quota_too_late": "ResourceQuota shop/pods",
		"sync_wave_waits_for_who_comes_later": "apps/Deployment shop/cache",
	} {
		ar, err := txtar.ParseFile("testdata/" + script + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		r := runScript(t, ar, "head")
		if len(r.Findings) == 0 || r.Findings[0].Fix == nil {
			t.Fatalf("%s: no fix\n%s", script, outline(r))
		}
		fix := r.Findings[0].Fix
		if want := "put " + moved + " into sync wave 0"; !strings.HasPrefix(fix.Text, want) || !fix.Verified {
			t.Errorf("%s: the fix is %q, want one that begins with %q", script, fix.Text, want)
		}
	}
}
