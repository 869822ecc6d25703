// Package source makes a tree ready for discovery and gathering: its files are listed once and
// read once, also where they are the same on the other side, links are followed inside the
// tree, and what was fetched from other hosts is shown in folders of its own, which nothing
// leaves. What was learnt of a text is kept.
package source
