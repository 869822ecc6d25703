package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	intoto "github.com/in-toto/attestation/go/v1"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdxlib"
	"google.golang.org/protobuf/encoding/protojson"
)

// thisProgram is a binary with modules in it: the test's own.
func thisProgram(t *testing.T) (binary, graph string) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	graph, err = moduleGraph(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	return binary, graph
}

// Both bills name exactly the modules that the binary was linked from, with their versions and
// sums, and no edge leads elsewhere; each is the same every time.
func TestBillsOfMaterials(t *testing.T) {
	binary, graph := thisProgram(t)
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{standard: strings.TrimPrefix(info.GoVersion, "go")}
	for _, d := range info.Deps {
		want[d.Path] = d.Version
	}
	if len(want) < 10 {
		t.Fatalf("%d modules", len(want))
	}
	write := func() (spdx, cyclone bytes.Buffer) {
		c, err := contentsOf(binary, "v0.1.0", graph)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeSPDX(&spdx, c, platform{"linux", "amd64"}, time.Unix(0, 0).UTC()); err != nil {
			t.Fatal(err)
		}
		if err := writeCycloneDX(&cyclone, c, time.Unix(0, 0).UTC()); err != nil {
			t.Fatal(err)
		}
		return spdx, cyclone
	}
	spdx, cyclone := write()
	if s, c := write(); s.String() != spdx.String() || c.String() != cyclone.String() {
		t.Error("the second bill differs from the first")
	}

	doc, err := spdxjson.Read(bytes.NewReader(spdx.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := spdxlib.ValidateDocument(doc); err != nil {
		t.Error(err)
	}
	got, depends := map[string]string{}, 0
	for _, p := range doc.Packages {
		if p.PackageName != info.Main.Path {
			got[p.PackageName] = p.PackageVersion
		}
	}
	for _, r := range doc.Relationships {
		if r.Relationship == "DEPENDS_ON" {
			depends++
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || depends < len(want) {
		t.Errorf("SPDX: %d edges, got %v\nwant %v", depends, got, want)
	}

	bom := cdx.NewBOM()
	if err := cdx.NewBOMDecoder(&cyclone, cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	got = map[string]string{}
	refs := map[string]bool{bom.Metadata.Component.BOMRef: true}
	for _, c := range *bom.Components {
		got[c.Name] = c.Version
		refs[c.BOMRef] = true
		if c.Name != standard && c.Properties == nil {
			t.Errorf("%s has no sum", c.Name)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || bom.SpecVersion != cdx.SpecVersion1_6 || !strings.HasPrefix(bom.SerialNumber, "urn:uuid:") {
		t.Errorf("CycloneDX: got %v\nwant %v", got, want)
	}
	edges := 0
	for _, d := range *bom.Dependencies {
		if d.Dependencies == nil {
			continue
		}
		edges += len(*d.Dependencies)
		for _, to := range *d.Dependencies {
			if !refs[d.Ref] || !refs[to] {
				t.Errorf("edge %s -> %s leads nowhere", d.Ref, to)
			}
		}
	}
	if edges != depends {
		t.Errorf("CycloneDX has %d edges, SPDX %d", edges, depends)
	}
}

// The statement names every file of a release and both images by the digests that they have,
// and the commit; a release of which a file changes has another statement.
func TestProvenance(t *testing.T) {
	dist := fakeDist(t)
	for _, name := range []string{"kubesettle_0.1.0_linux_amd64.tar.gz", "kubesettle_0.1.0_linux_amd64.spdx.json"} {
		if err := os.WriteFile(filepath.Join(dist, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	images := run(t, "image", "--src", repository, "--dist", dist, "--version", "v0.1.0")
	commit := strings.Repeat("ab", 20)
	args := []string{"provenance", "--dist", dist, "--version", "v0.1.0", "--commit", commit, "--ref", "refs/tags/v0.1.0", "--builder", "https://ci.example/run"}
	run(t, args...)
	text, err := os.ReadFile(filepath.Join(dist, "provenance.intoto.json"))
	if err != nil {
		t.Fatal(err)
	}
	st := &intoto.Statement{}
	if err := protojson.Unmarshal(text, st); err != nil {
		t.Fatal(err)
	}
	if err := st.Validate(); err != nil {
		t.Error(err)
	}
	sums, err := checksumsOf(dist)
	if err != nil || len(sums) != 2 {
		t.Fatalf("%v, %v", sums, err)
	}
	want := map[string]string{}
	for _, s := range sums {
		want[s.name] = s.sha256
	}
	for line := range strings.Lines(images) {
		variant, digest, _ := strings.Cut(strings.TrimSpace(line), " sha256:")
		want["image/"+variant] = digest
	}
	got := map[string]string{}
	for _, s := range st.Subject {
		got[s.Name] = s.Digest["sha256"]
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("subjects %v, want %v", got, want)
	}
	var said struct {
		Predicate struct {
			BuildDefinition struct {
				ResolvedDependencies []struct{ Digest map[string]string }
			}
			RunDetails struct{ Builder struct{ ID string } }
		}
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Predicate.RunDetails.Builder.ID != "https://ci.example/run" ||
		said.Predicate.BuildDefinition.ResolvedDependencies[0].Digest["gitCommit"] != commit {
		t.Errorf("%+v, %v", said, err)
	}
	run(t, args...)
	if again, err := os.ReadFile(filepath.Join(dist, "provenance.intoto.json")); err != nil || !bytes.Equal(again, text) {
		t.Error("the second statement differs from the first")
	}
	if _, err := statement(dist, "v0.1.0", source{commit: "abc"}); err == nil {
		t.Error("a short hash is taken")
	}
	if _, err := statement(t.TempDir(), "v0.1.0", source{commit: commit}); err == nil {
		t.Error("nothing is stated of an empty folder")
	}
}

// Every module of Kubesettle's binary has a licence that is known, on every platform, and the notices have its text.
func TestEveryModuleHasALicence(t *testing.T) {
	for _, p := range platforms() {
		all, err := termsOf(t.Context(), repository, p)
		if err != nil {
			t.Fatal(err)
		}
		c := &contents{main: goModule{path: "main", version: "v0.1.0"}}
		for _, path := range slices.Sorted(maps.Keys(all)) {
			c.modules = append(c.modules, goModule{path: path, version: "v1", terms: all[path]})
		}
		var notices, spdx bytes.Buffer
		writeNotices(&notices, c)
		if err := writeSPDX(&spdx, c, p, time.Unix(0, 0).UTC()); err != nil {
			t.Fatal(err)
		}
		doc, err := spdxjson.Read(&spdx)
		if err != nil {
			t.Fatal(err)
		}
		declared := map[string]string{}
		for _, one := range doc.Packages {
			declared[one.PackageName] = one.PackageLicenseDeclared
		}
		for path, one := range all {
			if declared[path] != one.expression() || declared[path] == "" {
				t.Errorf("%s, %s: declared %q, its files say %q", p, path, declared[path], one.expression())
			}
			for _, f := range one.files {
				if !strings.Contains(notices.String(), strings.TrimSpace(strings.ReplaceAll(string(f.text), "\r\n", "\n"))) {
					t.Errorf("%s: the notices lack %s of %s", p, f.name, path)
				}
			}
		}
		if len(all) < 50 {
			t.Errorf("%s: %d modules", p, len(all))
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte("You may not."), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readTerms(dir, []string{dir}); err == nil {
		t.Error("an unknown licence is taken")
	}
	if _, err := readTerms(dir, []string{t.TempDir()}); err == nil {
		t.Error("a module without a licence is taken")
	}
}
