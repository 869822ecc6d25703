package main

import (
	"fmt"
	"io"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"golang.org/x/mod/module"
)

// writeCycloneDX writes a bill of materials in CycloneDX 1.6, JSON.
func writeCycloneDX(w io.Writer, c *contents, at time.Time) error {
	bom := cdx.NewBOM()
	// A version 5 UUID in all but its namespace: the same binary has the same serial number.
	u := []byte(c.sha256[:32])
	u[12], u[16] = '5', 'a'
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%s-%s-%s-%s-%s", u[:8], u[8:12], u[12:16], u[16:20], u[20:])
	component := func(kind cdx.ComponentType, path, version, purl, sum string) cdx.Component {
		one := cdx.Component{Type: kind, BOMRef: purl, Name: path, Version: version, PackageURL: purl}
		if sum != "" {
			one.Properties = &[]cdx.Property{{Name: "cdx:golang:sum", Value: sum}}
		}
		return one
	}
	main := component(cdx.ComponentTypeApplication, c.main.path, c.main.version, c.main.purl(), "")
	main.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: c.sha256}}
	main.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}
	bom.Metadata = &cdx.Metadata{Timestamp: at.Format(time.RFC3339), Component: &main}
	refs := map[string]string{c.main.path: main.BOMRef}
	var list []cdx.Component
	for _, m := range c.modules {
		refs[m.path] = m.purl()
		one := component(cdx.ComponentTypeLibrary, m.path, m.version, m.purl(), m.sum)
		if said := m.terms.expression(); said != "" {
			one.Licenses = &cdx.Licenses{{Expression: said}}
		}
		list = append(list, one)
	}
	bom.Components = &list
	var edges []cdx.Dependency
	for _, m := range append([]goModule{c.main}, c.modules...) {
		needs := []string{}
		for _, n := range m.needs {
			needs = append(needs, refs[n])
		}
		edges = append(edges, cdx.Dependency{Ref: refs[m.path], Dependencies: &needs})
	}
	bom.Dependencies = &edges
	if err := cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return fmt.Errorf("CycloneDX: %w", err)
	}
	return nil
}

// escapeModule is a module's path or version as a proxy's address has it.
func escapeModule(s string) string {
	if e, err := module.EscapePath(s); err == nil {
		return e
	}
	if e, err := module.EscapeVersion(s); err == nil {
		return e
	}
	return s
}
