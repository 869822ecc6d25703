package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// drains is a policy under which two nodes are drained, one after the other.
const drains = "events: {drain: {budget: 2}}\n"

// change writes what a chart renders to a folder base, and to a folder head with another
// annotation on every pod template, and gives the arguments that check the one against
// the other. That is what a new image is to the control loops.
func (k kubesettle) change(dir, trees, policy string) ([]string, error) {
	raw, err := k.output(filepath.Dir(dir), "render", filepath.Base(dir), "--output", "yaml")
	if err != nil {
		return nil, err
	}
	objects, err := read(raw)
	if err != nil {
		return nil, err
	}
	for side, revision := range map[string]string{"base": "1", "head": "2"} {
		if err := write(filepath.Join(trees, side), objects, revision); err != nil {
			return nil, err
		}
	}
	args := []string{"check", "--base-dir", filepath.Join(trees, "base"), "--head-dir", filepath.Join(trees, "head")}
	if policy == "" {
		return args, nil
	}
	file := filepath.Join(trees, "policy.yaml")
	policy = "apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n" + policy
	return append(args, "--policy", file), os.WriteFile(file, []byte(policy), 0o644)
}

// read parses a stream of objects, without Helm's hooks, which no apply meets, and without
// Secrets, whose values kubesettle does not print.
func read(raw []byte) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(raw)))
	for {
		doc, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		o := &unstructured.Unstructured{}
		if err := sigsyaml.Unmarshal(doc, &o.Object); err != nil {
			return nil, err
		}
		if _, hook := o.GetAnnotations()["helm.sh/hook"]; len(o.Object) > 0 && !hook && o.GetKind() != "Secret" {
			out = append(out, o)
		}
	}
}

// write puts objects into one file of a folder, pod templates with the given revision.
func write(dir string, objects []*unstructured.Unstructured, revision string) error {
	var out bytes.Buffer
	for _, o := range objects {
		if _, found, _ := unstructured.NestedMap(o.Object, "spec", "template", "spec"); found {
			path := []string{"spec", "template", "metadata", "annotations"}
			annotations, _, _ := unstructured.NestedStringMap(o.Object, path...) // null where a chart leaves it empty
			annotations = maps.Clone(annotations)
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations["falsealarms/revision"] = revision
			if err := unstructured.SetNestedStringMap(o.Object, annotations, path...); err != nil {
				return err
			}
		}
		raw, err := sigsyaml.Marshal(o.Object)
		if err != nil {
			return err
		}
		out.WriteString("---\n")
		out.Write(raw)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "all.yaml"), out.Bytes(), 0o644)
}

// version is that of a Chart.yaml.
func version(dir string) string {
	raw, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
	if err != nil {
		return ""
	}
	var chart struct{ Version string }
	if err := sigsyaml.Unmarshal(raw, &chart); err != nil {
		return ""
	}
	return chart.Version
}
