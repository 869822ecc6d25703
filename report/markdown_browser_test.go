package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// The comment and the summary as GitHub shows them, their diagrams drawn by Mermaid
// itself, which takes every one of them. `make surfaces` gets what it takes:
//
//	CHROMIUM=/usr/bin/chromium MERMAID=mermaid.min.js go test ./report -run MarkdownInABrowser
//
// With SHOTS naming a folder, the screenshots stay there to be looked at.
func TestMarkdownInABrowser(t *testing.T) {
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		t.Skip("CHROMIUM does not name a browser: see make surfaces")
	}
	style, err := os.ReadFile("testdata/html/markdown.css")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("MERMAID") == "" {
		t.Fatal("MERMAID does not name Mermaid's script: see make surfaces")
	}
	dir := shotsDir(t)
	github := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	for name, r := range map[string]*finding.Result{
		"spread": spreadResult(), "loop": loopResult(), "rollout": rolloutResult(), "pass": emptyResult(), "hostile": hostileResult(1),
	} {
		opt := testMarkdown()
		for surface, source := range map[string]string{"comment": Comment(r, opt), "summary": summaryOf(t, r)} {
			t.Run(name+"/"+surface, func(t *testing.T) {
				var body bytes.Buffer
				if err := github.Convert([]byte(source), &body); err != nil {
					t.Fatal(err)
				}
				page := fmt.Sprintf("<!DOCTYPE html><meta charset=utf-8><title>%s</title><style>%s</style><body>%s", surface, style, body.String())
				out := filepath.Join(dir, name+"-"+surface)
				if err := os.WriteFile(out+".html", []byte(page), 0o644); err != nil {
					t.Fatal(err)
				}
				var saw struct {
					Overflow, Drawn      int
					Complaints, Requests []string
				}
				browse(t, &saw, "markdown.mjs", chromium, out+".html", out, os.Getenv("MERMAID"))
				if len(saw.Complaints)+len(saw.Requests) > 0 || saw.Overflow > 0 ||
					saw.Drawn != strings.Count(source, "```mermaid\n") {
					t.Errorf("%+v", saw)
				}
			})
		}
	}
}

// shotsDir is the folder of screenshots.
func shotsDir(t *testing.T) string {
	if dir := os.Getenv("SHOTS"); dir != "" {
		return dir
	}
	return t.TempDir()
}

// browse runs a script of testdata/html and reads what it saw.
func browse(t *testing.T, saw any, script string, args ...string) {
	t.Helper()
	out, err := exec.Command("node", append([]string{"--experimental-websocket", "--no-warnings", "testdata/html/" + script}, args...)...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%v\n%s%s", err, out, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, saw); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
