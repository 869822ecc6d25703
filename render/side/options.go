package side

import (
	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/worker"
)

// Options of rendering.
type Options struct {
	Releases    []release.Release // declared ones; with any, discovery still runs for files that they do not cover
	Further     []release.Release // that head alone declares, where base declares none
	Paths       discover.Paths    // limits discovery to these folders or files; empty: everything
	KubeVersion string            // such as "1.36"; the default
	APIVersions []string          // that charts find beside those of KubeVersion, in every release
	Fetcher     *fetch.Fetcher    // for charts and bases of other hosts; nil: nothing is fetched
	MaxObjects  int               // of a side before the rest is left out; 0: [MaxObjects]
	Workers     int               // releases rendered at once; 0: one per processor
	Clock       *release.Clock    // ends renderings; nil: each has its own limit alone
	// Concerns are texts of objects that say something about other releases: a comparison
	// renders those in which one stands, also where the change does not reach them. One that ends in a slash is an
	// API group, behind which a version stands.
	Concerns []string
	// Leftovers are texts of objects that act on those of other releases: where a release is
	// gone on head, a comparison renders those without a chart in which one stands.
	Leftovers []string
	// Acting are kinds of objects that act on workloads of other releases: a comparison renders the releases with such
	// objects if those workloads may differ, and the workloads if such an object differs.
	Acting []string
	// Referred are kinds of objects that others name, as "group/Kind": a comparison renders what may name one that goes.
	Referred []string
	// Beside picks releases whose objects matter although the change does not reach them; nil: none.
	Beside   func(release.Release) bool
	Whole    bool   // a comparison renders also releases that the change does not reach
	Rendered func() // called after each release, from several goroutines; nil: it is not needed
	Sandbox  worker.Sandbox
	Outputs  *worker.Outputs // of earlier runs, for those of a sandbox; nil: none

	// Set by the facade.
	Trials   *locate.Keeper // of the counterfactual renders of both sides
	Compared bool           // it is one of two sides
}

// Running says how the releases are rendered.
func (o Options) Running() worker.Options {
	return worker.Options{Sandbox: o.Sandbox, Workers: o.Workers, Clock: o.Clock, Outputs: o.Outputs}
}

// trialing says how counterfactual renders run.
func (o Options) trialing() locate.Options { return locate.Options{Run: o.Running(), Keeper: o.Trials} }

// Discovery says what is looked for.
func (o Options) Discovery() discover.Options {
	return discover.Options{Releases: o.Releases, Further: o.Further, Paths: o.Paths, KubeVersion: o.KubeVersion,
		APIVersions: o.APIVersions,
		Clock:       o.Clock}
}
