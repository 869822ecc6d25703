package main

import (
	"fmt"
	"io"
	"regexp"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
)

var notSPDX = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// spdxID is a module's element ID.
func spdxID(path string) common.ElementID {
	return common.ElementID("module-" + notSPDX.ReplaceAllString(path, "-"))
}

// writeSPDX writes a bill of materials in SPDX 2.3, JSON. The licences declared are those of the modules' own files; none
// is concluded.
func writeSPDX(w io.Writer, c *contents, p platform, at time.Time) error {
	doc := &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      "kubesettle-" + c.main.version + "-" + p.os + "-" + p.arch,
		DocumentNamespace: "https://github.com/kubesettle/kubesettle/sbom/" + c.main.version + "/" + c.sha256,
		CreationInfo: &spdx.CreationInfo{
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "kubesettle-release"}}, Created: at.Format(time.RFC3339),
		},
	}
	add := func(m goModule) *spdx.Package {
		one := &spdx.Package{
			PackageName: m.path, PackageSPDXIdentifier: spdxID(m.path), PackageVersion: m.version,
			PackageDownloadLocation: "NOASSERTION", PackageLicenseConcluded: "NOASSERTION", PackageLicenseDeclared: "NOASSERTION",
			PackageCopyrightText: "NOASSERTION", IsFilesAnalyzedTagPresent: true,
			PackageExternalReferences: []*spdx.PackageExternalReference{{
				Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: m.purl(),
			}},
		}
		if m.sum != "" {
			one.PackageComment = "go.sum " + m.sum
			one.PackageDownloadLocation = m.source()
		}
		if said := m.terms.expression(); said != "" {
			one.PackageLicenseDeclared = said
		}
		doc.Packages = append(doc.Packages, one)
		for _, n := range m.needs {
			doc.Relationships = append(doc.Relationships, &spdx.Relationship{
				RefA: common.MakeDocElementID("", string(spdxID(m.path))), RefB: common.MakeDocElementID("", string(spdxID(n))),
				Relationship: common.TypeRelationshipDependsOn,
			})
		}
		return one
	}
	main := add(c.main)
	main.PrimaryPackagePurpose, main.PackageLicenseDeclared = "APPLICATION", "Apache-2.0"
	main.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: c.sha256}}
	for _, m := range c.modules {
		add(m)
	}
	doc.Relationships = append(doc.Relationships, &spdx.Relationship{
		RefA: common.MakeDocElementID("", "DOCUMENT"), RefB: common.MakeDocElementID("", string(spdxID(c.main.path))),
		Relationship: common.TypeRelationshipDescribe,
	})
	if err := spdxjson.Write(doc, w, spdxjson.Indent("  ")); err != nil {
		return fmt.Errorf("SPDX: %w", err)
	}
	return nil
}
