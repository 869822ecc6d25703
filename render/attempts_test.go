package render

import (
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/object"
)

// How Helm is called is read as helm-controller (GetTimeout, MustRemediateLastFailure, RetriesExhausted, GetRetry) and
// helmfile (flagsForUpgrade) have it.
func TestAttemptsAreRead(t *testing.T) {
	const minutes = time.Minute
	type attempt = object.Attempt
	const held = "releases: [{name: web, chart: chart, atomic: false, wait: true, timeout: 90}]\n"
	for _, c := range []struct {
		what, more      string
		helmfile        bool
		install         attempt
		upgrade         attempt
		removes, undoes object.Undo // after a failed install, and a failed upgrade, that is not the last
	}{
		{"nothing said", "", false, attempt{Patience: 5 * minutes, Undo: object.Uninstall},
			attempt{Patience: 5 * minutes, Undo: object.Rollback}, "", ""},
		{"retries undo the last one", "  timeout: 10m\n  upgrade: {timeout: 3m, remediation: {retries: 2}}\n", false,
			attempt{Patience: 10 * minutes, Undo: object.Uninstall},
			attempt{Patience: 3 * minutes, Undo: object.Rollback, Retries: 2, Last: true}, "", object.Rollback},
		{"or not", "  upgrade: {remediation: {retries: 2, remediateLastFailure: false, strategy: uninstall}}\n", false,
			attempt{Patience: 5 * minutes, Undo: object.Uninstall},
			attempt{Patience: 5 * minutes, Undo: object.Uninstall, Retries: 2}, "", object.Uninstall},
		{"the last alone", "  upgrade: {remediation: {remediateLastFailure: true}}\n", false,
			attempt{Patience: 5 * minutes, Undo: object.Uninstall},
			attempt{Patience: 5 * minutes, Undo: object.Rollback, Last: true}, "", object.Rollback},
		{"without end",
			"  install: {disableWait: true, remediation: {retries: -1}}\n  upgrade: {remediation: {retries: -1}}\n",
			false, attempt{Undo: object.Uninstall, Retries: -1},
			attempt{Patience: 5 * minutes, Undo: object.Rollback, Retries: -1}, object.Uninstall, object.Rollback},
		{"an install is not undone at last", "  install: {remediation: {retries: 3}}\n", false,
			attempt{Patience: 5 * minutes, Undo: object.Uninstall, Retries: 3},
			attempt{Patience: 5 * minutes, Undo: object.Rollback}, object.Uninstall, ""},
		{"a retry comes before a remediation",
			"  upgrade: {strategy: {name: RetryOnFailure}, remediation: {retries: 3}}\n", false,
			attempt{Patience: 5 * minutes, Undo: object.Uninstall},
			attempt{Patience: 5 * minutes, Retries: -1, Unused: true}, "", ""},
		{"helm without --wait", "", true, attempt{}, attempt{}, "", ""},
		{"with it", "helmDefaults: {wait: true, timeout: 600}\n", true, attempt{Patience: 10 * minutes},
			attempt{Patience: 10 * minutes}, "", ""},
		{"atomic", "helmDefaults: {atomic: true}\n", true,
			attempt{Patience: 5 * minutes, Undo: object.Uninstall, Last: true},
			attempt{Patience: 5 * minutes, Undo: object.Rollback, Last: true}, object.Uninstall, object.Rollback},
		{"all but this one", "helmDefaults: {atomic: true, timeout: 60}\n" + held, true,
			attempt{Patience: 90 * time.Second}, attempt{Patience: 90 * time.Second}, "", ""},
	} {
		files := map[string]string{
			"chart/Chart.yaml":         "apiVersion: v2\nname: web\nversion: 1.0.0\n",
			"chart/templates/web.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
		}
		if c.helmfile {
			if files["helmfile.yaml"] = c.more; !strings.Contains(c.more, "releases:") {
				files["helmfile.yaml"] += "releases: [{name: web, chart: ./chart}]\n"
			}
			files["helmfile.yaml"] = strings.ReplaceAll(files["helmfile.yaml"], "chart: chart", "chart: ./chart")
		} else {
			files["web.yaml"] = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: git}\n---\n" +
				"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec:\n" +
				"  chart: {spec: {chart: chart, sourceRef: {kind: GitRepository, name: git}}}\n" + c.more
		}
		found := 0
		for _, r := range renderFiles(t, files).Releases {
			if r.Kind != object.Helm {
				continue
			}
			found++
			if d := r.Delivery; d.Install != c.install || d.Upgrade != c.upgrade {
				t.Errorf("%s: install %+v, upgrade %+v", c.what, d.Install, d.Upgrade)
			} else if d.Install.Undone() != c.removes || d.Upgrade.Undone() != c.undoes {
				t.Errorf("%s: undone by %q and %q", c.what, d.Install.Undone(), d.Upgrade.Undone())
			}
		}
		if found != 1 {
			t.Errorf("%s: %d releases of Helm", c.what, found)
		}
	}
}
