// Package fetch brings charts and pinned git trees of other hosts into memory, through a
// content-addressed cache. Which host it may ask is the user's word; what it asks for is
// the repository's, which is hostile: an address may name the runner's own network, a
// redirect may lead there, an answer may be endless. It knows no release, no chart's
// meaning and no tree that is verified.
package fetch
