package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// goModule is a Go module that a binary is made of.
type goModule struct {
	path, version string
	sum           string   // as go.sum has it, h1:…; "" for the main module and the standard library
	needs         []string // paths of modules of the same binary, sorted
	terms         terms    // none of the main module
}

// source is where a module's source can be had.
func (m goModule) source() string {
	return "https://proxy.golang.org/" + escapeModule(m.path) + "/@v/" + escapeModule(m.version) + ".zip"
}

// purl is the module's package URL, see https://github.com/package-url/purl-spec.
func (m goModule) purl() string {
	return "pkg:golang/" + strings.ReplaceAll(m.path, "~", "%7E") + "@" + strings.ReplaceAll(m.version, "+", "%2B")
}

// contents is the list of a binary's parts.
type contents struct {
	main    goModule
	modules []goModule // the standard library first, then the others by path
	sha256  string     // of the binary
}

// standard is the Go standard library's name in a bill of materials, as govulncheck has it.
const standard = "stdlib"

// contentsOf reads a binary's build information. graph is the output of `go mod graph`; only modules in the binary are
// taken from it.
func contentsOf(binary, version, graph string) (*contents, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", binary, err)
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(data)
	c := &contents{
		main:    goModule{path: info.Main.Path, version: version},
		modules: []goModule{{path: standard, version: strings.TrimPrefix(info.GoVersion, "go")}},
		sha256:  hex.EncodeToString(digest[:]),
	}
	at := map[string]string{info.Main.Path: ""}
	for _, d := range info.Deps {
		at[d.Path] = d.Version
		if d.Replace != nil {
			d = d.Replace
		}
		c.modules = append(c.modules, goModule{path: d.Path, version: d.Version, sum: d.Sum})
	}
	slices.SortFunc(c.modules[1:], func(a, b goModule) int { return strings.Compare(a.path, b.path) })
	needs := map[string][]string{}
	for line := range strings.Lines(graph) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		fromPath, fromVersion, _ := strings.Cut(from, "@")
		toPath, _, _ := strings.Cut(to, "@")
		_, held := at[toPath]
		if v, known := at[fromPath]; known && v == fromVersion && held {
			needs[fromPath] = append(needs[fromPath], toPath)
		}
	}
	sorted := func(path string) []string {
		slices.Sort(needs[path])
		return slices.Compact(needs[path])
	}
	c.main.needs = append([]string{standard}, sorted(c.main.path)...)
	for i := range c.modules {
		c.modules[i].needs = sorted(c.modules[i].path)
	}
	return c, nil
}

// moduleGraph is what `go mod graph` says of a source tree.
func moduleGraph(ctx context.Context, src string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "graph")
	cmd.Dir, cmd.Stderr = src, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod graph: %w", err)
	}
	return string(out), nil
}
