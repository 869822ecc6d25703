package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
	"github.com/spf13/cobra"
)

// noticesFile is what an archive and an image call the licences of the modules that a binary is linked from.
const noticesFile = "THIRD_PARTY_NOTICES.txt"

// terms are a module's licences and notices.
type terms struct {
	ids   []string // SPDX identifiers, sorted
	files []file   // by name
}

// file is a licence or notice, by its path in the module.
type file struct {
	name string
	text []byte
}

// expression is what a bill of materials says of a module's licences.
func (t terms) expression() string { return strings.Join(t.ids, " AND ") }

var (
	licenceName = regexp.MustCompile(`(?i)^(un)?licen[cs]es?([.-].*)?$|^copying([.-].*)?$`)
	noticeName  = regexp.MustCompile(`(?i)^(notice|patents|copyright)([.-].*)?$`)
)

// mustBeKnown is how much of a licence's text has to be that of a known one, in percent.
const mustBeKnown = 75

// termsOf reads the licences of every module that a platform's binary is linked from: the files beside its packages,
// and above them up to the module's folder. A module without a licence that is known is an error: it cannot be given
// on. The standard library's are among them.
func termsOf(ctx context.Context, src string, p platform) (map[string]terms, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-f",
		`{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}{{.Dir}}{{"\t"}}{{$.Dir}}{{end}}{{end}}`, "./cmd/kubesettle")
	cmd.Dir, cmd.Stderr = src, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOFLAGS=")
	list, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	goroot := strings.TrimSpace(string(root))
	list = fmt.Appendf(list, "%s\t%s\t%s\n", standard, goroot, goroot)
	roots, folders := map[string]string{}, map[string]map[string]bool{}
	for line := range strings.Lines(string(list)) {
		part := strings.Split(strings.TrimSpace(line), "\t")
		if len(part) != 3 {
			continue
		}
		module, top, dir := part[0], part[1], part[2]
		if roots[module] = top; folders[module] == nil {
			folders[module] = map[string]bool{}
		}
		for at := dir; ; at = filepath.Dir(at) {
			folders[module][at] = true
			if at == top || len(at) <= len(top) {
				break
			}
		}
	}
	out := map[string]terms{}
	for module := range roots {
		if out[module], err = readTerms(roots[module], slices.Sorted(maps.Keys(folders[module]))); err != nil {
			return nil, fmt.Errorf("%s: %w", module, err)
		}
	}
	return out, nil
}

// readTerms reads the licences and notices of some folders of a module.
func readTerms(top string, folders []string) (terms, error) {
	var t terms
	for _, dir := range folders {
		list, err := os.ReadDir(dir)
		if err != nil {
			return t, err
		}
		for _, e := range list {
			licence := licenceName.MatchString(e.Name())
			if !e.Type().IsRegular() || filepath.Ext(e.Name()) == ".go" || !licence && !noticeName.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return t, err
			}
			name, err := filepath.Rel(top, filepath.Join(dir, e.Name()))
			if err != nil {
				return t, err
			}
			t.files = append(t.files, file{filepath.ToSlash(name), text})
			if !licence {
				continue
			}
			found := licensecheck.Scan(text)
			for _, m := range found.Match {
				if !m.IsURL {
					t.ids = append(t.ids, m.ID)
				}
			}
			if found.Percent < mustBeKnown {
				return t, fmt.Errorf("%s is not known: %.0f %% of it is like a licence, %q", name, found.Percent, t.ids)
			}
		}
	}
	if len(t.ids) == 0 {
		return t, fmt.Errorf("no licence was found")
	}
	slices.Sort(t.ids)
	t.ids = slices.Compact(t.ids)
	return t, nil
}

// writeNotices lists the modules of a binary with their licences, and each text once.
func writeNotices(b *bytes.Buffer, c *contents) {
	fmt.Fprintf(b, "Kubesettle %s is licensed under the Apache License 2.0 (LICENSE). Its binary also contains these Go modules, each\n"+
		"under its own terms: the texts follow, by number. The source of a module is at the address beside it.\n\n", c.main.version)
	number := map[string]int{}
	var texts []string
	for _, m := range c.modules {
		fmt.Fprintf(b, "%s %s: %s\n", m.path, m.version, m.terms.expression())
		if m.sum != "" {
			fmt.Fprintf(b, "  source: %s\n", m.source())
		}
		for _, f := range m.terms.files {
			text := strings.TrimSpace(strings.ReplaceAll(string(f.text), "\r\n", "\n"))
			if number[text] == 0 {
				texts = append(texts, text)
				number[text] = len(texts)
			}
			fmt.Fprintf(b, "  %s: text %d\n", f.name, number[text])
		}
	}
	for i, text := range texts {
		fmt.Fprintf(b, "\n%s\ntext %d\n\n%s\n", strings.Repeat("=", 80), i+1, text)
	}
}

func newNotices() *cobra.Command {
	var src, binary, version, on, to string
	cmd := &cobra.Command{
		Use:   "notices",
		Short: "Write the licences and notices of the modules that a binary is linked from",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ps, err := parsePlatforms(on)
			if err != nil || len(ps) != 1 {
				return fmt.Errorf("--platform: give OS/ARCH: %w", err)
			}
			c, err := contentsOf(binary, version, "")
			if err != nil {
				return err
			}
			if err := c.license(cmd.Context(), src, ps[0]); err != nil {
				return err
			}
			var b bytes.Buffer
			writeNotices(&b, c)
			return os.WriteFile(to, b.Bytes(), 0o644)
		},
	}
	cmd.Flags().StringVar(&src, "src", ".", "source tree")
	cmd.Flags().StringVar(&binary, "binary", "", "binary, built from it")
	cmd.Flags().StringVar(&version, "version", "", "version, such as v0.1.0")
	cmd.Flags().StringVar(&on, "platform", "", "OS/ARCH that it is for")
	cmd.Flags().StringVar(&to, "to", noticesFile, "file to write")
	required(cmd, "binary", "version", "platform")
	return cmd
}

// license gives every module of a binary its terms.
func (c *contents) license(ctx context.Context, src string, p platform) error {
	all, err := termsOf(ctx, src, p)
	if err != nil {
		return err
	}
	for i, m := range c.modules {
		t, ok := all[m.path]
		if !ok {
			return fmt.Errorf("%s is in the binary for %s, and not among the modules of its packages", m.path, p)
		}
		c.modules[i].terms = t
	}
	return nil
}
