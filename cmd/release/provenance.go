package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// predicateType and buildType name the statement, and the way in which a release is built.
const (
	predicateType = "https://slsa.dev/provenance/v1"
	buildType     = "https://github.com/kubesettle/kubesettle/blob/main/cmd/release/README.md"
)

// source is where a release comes from, and who built it.
type source struct {
	commit, ref string // full hash, and the tag's ref
	builder     string // identity of who built it, an address
	invocation  string // address of the run; "" outside of CI
}

var commitHash = regexp.MustCompile(`^[0-9a-f]{40}$`)

// statement is a release's provenance in in-toto's form: its archives, bills and images are
// the subjects, its commit and toolchain the materials.
func statement(dist, version string, from source) ([]byte, error) {
	if !commitHash.MatchString(from.commit) {
		return nil, fmt.Errorf("--commit is %q: want a full hash", from.commit)
	}
	sums, err := checksumsOf(dist)
	if err != nil {
		return nil, err
	}
	var subjects []*intoto.ResourceDescriptor
	for _, s := range sums {
		subjects = append(subjects, &intoto.ResourceDescriptor{Name: s.name, Digest: map[string]string{"sha256": s.sha256}})
	}
	for _, variant := range []string{"action", "cli"} {
		digest, err := os.ReadFile(layoutDir(dist, variant) + ".digest")
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		hex, ok := strings.CutPrefix(strings.TrimSpace(string(digest)), "sha256:")
		if !ok {
			return nil, fmt.Errorf("%s.digest holds no sha256", layoutDir(dist, variant))
		}
		subjects = append(subjects, &intoto.ResourceDescriptor{Name: "image/" + variant, Digest: map[string]string{"sha256": hex}})
	}
	if len(subjects) == 0 {
		return nil, fmt.Errorf("%s holds nothing to state: make dist first", dist)
	}
	external, err := structpb.NewStruct(map[string]any{"version": version, "ref": from.ref})
	if err != nil {
		return nil, err
	}
	internal, err := structpb.NewStruct(map[string]any{"flags": strings.Join(buildFlags(version), " ")})
	if err != nil {
		return nil, err
	}
	predicate := &provenance.Provenance{
		BuildDefinition: &provenance.BuildDefinition{
			BuildType: buildType, ExternalParameters: external, InternalParameters: internal,
			ResolvedDependencies: []*intoto.ResourceDescriptor{
				{Uri: "git+https://github.com/kubesettle/kubesettle@" + from.ref, Digest: map[string]string{"gitCommit": from.commit}},
				{Uri: "pkg:golang/toolchain@" + strings.TrimPrefix(runtime.Version(), "go"), Name: runtime.Version()},
			},
		},
		RunDetails: &provenance.RunDetails{Builder: &provenance.Builder{Id: from.builder}},
	}
	if from.invocation != "" {
		predicate.RunDetails.Metadata = &provenance.BuildMetadata{InvocationId: from.invocation}
	}
	if err := predicate.Validate(); err != nil {
		return nil, err
	}
	fields := &structpb.Struct{}
	if err := convert(predicate, fields); err != nil {
		return nil, err
	}
	st := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: subjects, PredicateType: predicateType, Predicate: fields}
	if err := st.Validate(); err != nil {
		return nil, err
	}
	b, err := protojson.Marshal(st)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer // protojson varies its white space on purpose
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// convert brings one message into another that has the same JSON.
func convert(from, to proto.Message) error {
	b, err := protojson.Marshal(from)
	if err != nil {
		return err
	}
	return protojson.Unmarshal(b, to)
}

func newProvenance() *cobra.Command {
	var dist, version string
	var from source
	cmd := &cobra.Command{
		Use:   "provenance",
		Short: "State where a release comes from, in in-toto's form; signing it is cosign's",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := statement(dist, version, from)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dist, "provenance.intoto.json"), text, 0o644)
		},
	}
	f := cmd.Flags()
	f.StringVar(&dist, "dist", "dist", "folder of the release")
	f.StringVar(&version, "version", "", "version, such as v0.1.0")
	f.StringVar(&from.commit, "commit", "", "full hash of the commit that was built")
	f.StringVar(&from.ref, "ref", "", "ref that was built, such as refs/tags/v0.1.0")
	f.StringVar(&from.builder, "builder", "https://github.com/kubesettle/kubesettle/blob/main/Makefile", "who built it, an address")
	f.StringVar(&from.invocation, "invocation", "", "address of the run that built it")
	required(cmd, "version", "commit", "ref")
	return cmd
}
