package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// errReleased says that an action runs a published image already.
var errReleased = errors.New("it runs an image by digest already: this tag was released")

// pinAction makes an action that is built from its Dockerfile run a published image: in the
// text of action.yml the value of runs.image becomes the image's address, and no other byte
// changes.
// Errors: [errReleased]; an image that is not named by digest; an action that is not built from a
// Dockerfile, or says so twice.
func pinAction(text []byte, image string) ([]byte, error) {
	ref, err := name.NewDigest(image, name.StrictValidation)
	if err != nil || ref.String() != image || strings.Contains(image, "://") {
		return nil, fmt.Errorf("--image is %q: want REGISTRY/NAME@sha256:…", image)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("action.yml: %w", err)
	}
	if len(doc.Content) != 1 {
		return nil, errors.New("action.yml: it is empty")
	}
	runs, err := value(doc.Content[0], "runs")
	if err != nil {
		return nil, err
	}
	using, err := value(runs, "using")
	if err != nil {
		return nil, err
	}
	node, err := value(runs, "image")
	if err != nil {
		return nil, err
	}
	if using.Value != "docker" {
		return nil, fmt.Errorf("action.yml:%d: runs.using is %q: only a docker action runs an image", using.Line, using.Value)
	}
	if old, ok := bytes.CutPrefix([]byte(node.Value), []byte("docker://")); ok {
		if _, err := name.NewDigest(string(old)); err == nil {
			return nil, fmt.Errorf("action.yml:%d: runs.image: %w", node.Line, errReleased)
		}
	}
	if node.Value != "Dockerfile" || node.Style != 0 || node.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("action.yml:%d: runs.image is %q: want the plain word Dockerfile", node.Line, node.Value)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	line, column := lines[node.Line-1], node.Column-1
	if !bytes.HasPrefix(line[min(column, len(line)):], []byte(node.Value)) {
		return nil, fmt.Errorf("action.yml:%d: runs.image does not stand in column %d", node.Line, node.Column)
	}
	lines[node.Line-1] = bytes.Join([][]byte{line[:column], []byte("docker://" + ref.String()), line[column+len(node.Value):]}, nil)
	return bytes.Join(lines, nil), nil
}

// value is that of a key of a YAML mapping.
func value(of *yaml.Node, key string) (*yaml.Node, error) {
	var found *yaml.Node
	if of.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(of.Content); i += 2 {
			if of.Content[i].Value != key {
				continue
			}
			if found != nil {
				return nil, fmt.Errorf("action.yml:%d: %s is there twice", of.Content[i].Line, key)
			}
			found = of.Content[i+1]
		}
	}
	if found == nil {
		return nil, fmt.Errorf("action.yml:%d: %s is missing", of.Line, key)
	}
	return found, nil
}

func newAction() *cobra.Command {
	var file, image string
	cmd := &cobra.Command{
		Use:   "action",
		Short: "Make action.yml run a published image by digest instead of building the Dockerfile",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if text, err = pinAction(text, image); err != nil {
				return err
			}
			return os.WriteFile(file, text, 0o644)
		},
	}
	cmd.Flags().StringVar(&file, "file", "action.yml", "the action")
	cmd.Flags().StringVar(&image, "image", "", "image, as REGISTRY/NAME@sha256:…")
	required(cmd, "image")
	return cmd
}
