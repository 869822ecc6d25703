package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"
)

// moving lists the tags that move along to a version: its minor and its major one, each unless
// an existing version that it covers is newer. Nothing follows a version before a release.
// Errors: a version that is not v1.2.3 or v1.2.3-rc.1.
func moving(version string, existing []string) ([]string, error) {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return nil, fmt.Errorf("version %q: give one such as v0.1.0", version)
	}
	if semver.Prerelease(version) != "" {
		return nil, nil
	}
	newest := func(prefix func(string) string) bool {
		for _, e := range existing {
			if semver.IsValid(e) && semver.Canonical(e) == e && semver.Prerelease(e) == "" && prefix(e) == prefix(version) && semver.Compare(e, version) > 0 {
				return false
			}
		}
		return true
	}
	var out []string
	if newest(semver.MajorMinor) {
		out = append(out, semver.MajorMinor(version))
	}
	if newest(semver.Major) {
		out = append(out, semver.Major(version))
	}
	return out, nil
}

func newTags() *cobra.Command {
	var version string
	cmd := &cobra.Command{
		Use:   "tags [EXISTING...]",
		Short: "Print the tags that move along to a version, given those that there are",
		RunE: func(cmd *cobra.Command, existing []string) error {
			tags, err := moving(version, existing)
			if err == nil {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(tags, " "))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "the version's tag, such as v0.1.0")
	required(cmd, "version")
	return cmd
}
