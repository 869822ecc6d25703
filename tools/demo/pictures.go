package demo

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/tools/corpus"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	gmhtml "github.com/yuin/goldmark/renderer/html"
)

// pictures are those of docs/images.
var pictures = []string{"comment", "summary", "terminal", "report"}

// traces are the pictures of docs/traces.md, and the case that each is of.
var traces = [][2]string{
	{"deadlock", "testdata/failures/f01"}, {"race", "testdata/kivi/c6"}, {"lasso", "testdata/kivi/c7"},
	{"blocked-drain", "testdata/failures/f17"}, {"preemption", "testdata/failures/f51"},
}

// traceReports writes the HTML report of each.
func traceReports(b corpus.Binary, out string) error {
	for _, t := range traces {
		dir := filepath.Join(t[1], "violating")
		args := []string{"verify", filepath.Join(dir, "manifests")}
		if _, err := os.Stat(filepath.Join(dir, "head")); err == nil {
			args = []string{"check", "--base-dir", filepath.Join(dir, "base"), "--head-dir", filepath.Join(dir, "head")}
		}
		args = append(args, "--policy", filepath.Join(dir, "policy.yaml"), "--output", "html="+filepath.Join(out, t[0]+".html"))
		if _, err := b.Run("", args...); err != nil {
			return err
		}
	}
	return nil
}

// takePictures shows the pages in a browser and puts the pictures into folder, with the sums of the pages.
func takePictures(b corpus.Binary, out, chromium, folder string) error {
	if err := writePages(b, out); err != nil {
		return err
	}
	cmd := exec.Command("node", "--experimental-websocket", "--no-warnings", "tools/demo/pictures.mjs", chromium, out)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	for _, name := range pageNames() {
		picture, err := os.ReadFile(filepath.Join(out, name+".png"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
			return err
		}
	}
	sums, err := pageSums(out)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, sumsFile), []byte(sums), 0o644)
}

// sumsFile records the page that each picture was taken of.
const sumsFile = "pages.sha256"

// comparePictures fails unless the pictures in folder were taken of the pages that this commit writes.
func comparePictures(b corpus.Binary, out, folder string) error {
	if err := writePages(b, out); err != nil {
		return err
	}
	sums, err := pageSums(out)
	if err != nil {
		return err
	}
	kept, err := os.ReadFile(filepath.Join(folder, sumsFile))
	if err != nil {
		return err
	}
	for l := range strings.Lines(sums) {
		if !strings.Contains(string(kept), l) {
			name := strings.Fields(l)[1]
			return fmt.Errorf("%s is not what this commit shows: make pictures", filepath.Join(folder, name+".png"))
		}
	}
	return nil
}

// toolVersion differs from build to build, and so pictures are compared without it.
var toolVersion = regexp.MustCompile(`kubesettle (v[0-9][^ <"&,;]*|[0-9a-f]{7,40}(-dirty)?|devel)`)

// pageSums is a line for each page: its sum without the version of the tool and the folder of the checkout, and its
// name.
func pageSums(out string) (string, error) {
	var b strings.Builder
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for _, name := range pageNames() {
		page, err := os.ReadFile(filepath.Join(out, name+".html"))
		if err != nil {
			return "", err
		}
		page = bytes.ReplaceAll(toolVersion.ReplaceAll(page, []byte("kubesettle")), []byte(here), []byte("."))
		fmt.Fprintf(&b, "%x %s\n", sha256.Sum256(page), name)
	}
	return b.String(), nil
}

// writePages writes the pages that pictures are taken of: the reports as GitHub and a terminal show them, and those of
// docs/traces.md.
func writePages(b corpus.Binary, out string) error {
	style, err := os.ReadFile("report/testdata/html/markdown.css")
	if err != nil {
		return err
	}
	github := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(gmhtml.WithUnsafe()))
	for _, name := range []string{"comment", "summary"} {
		source, err := os.ReadFile(filepath.Join(out, name+".md"))
		if err != nil {
			return err
		}
		var body bytes.Buffer
		if err := github.Convert(source, &body); err != nil {
			return err
		}
		page := fmt.Sprintf("<!DOCTYPE html><meta charset=utf-8><title>%s</title><style>%s</style><body>%s", name, style, body.String())
		if err := os.WriteFile(filepath.Join(out, name+".html"), []byte(page), 0o644); err != nil {
			return err
		}
	}
	const command = "kubesettle check --base main --head spread-over-nodes"
	args := append(strings.Fields(command)[1:], "--repo", filepath.Join(out, "demo-repo"), "--color", "always")
	run, err := b.Run("", args...)
	if err != nil {
		return err
	}
	page := terminal("$ " + command + "\n\n" + string(run.Output))
	if err := os.WriteFile(filepath.Join(out, "terminal.html"), []byte(page), 0o644); err != nil {
		return err
	}
	return traceReports(b, out)
}

func pageNames() []string {
	out := slices.Clone(pictures)
	for _, t := range traces {
		out = append(out, t[0])
	}
	return out
}

// selectGraphic matches the text by which a terminal changes style.
var selectGraphic = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// terminal is a page that shows text as a dark terminal does.
func terminal(text string) string {
	colors := map[string]string{
		"1": "font-weight:700", "2": "opacity:.7", "31": "color:#ff7b72", "32": "color:#7ee787", "33": "color:#e3b341",
		"34": "color:#79c0ff", "35": "color:#d2a8ff", "36": "color:#76e3ea", "90": "color:#8b949e",
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><meta charset=utf-8><title>terminal</title><style>body{margin:0;background:#0d1117}" +
		"pre{margin:0;white-space:pre-wrap;padding:20px 24px;color:#e6edf3;font:14px/1.45 ui-monospace,'Liberation Mono',monospace}</style><body><pre>")
	open, from := 0, 0
	for _, m := range selectGraphic.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(html.EscapeString(text[from:m[0]]))
		from = m[1]
		for _, code := range strings.Split(text[m[2]:m[3]], ";") {
			if style, ok := colors[code]; ok {
				fmt.Fprintf(&b, "<span style=%q>", style)
				open++
			} else if code == "" || code == "0" {
				b.WriteString(strings.Repeat("</span>", open))
				open = 0
			}
		}
	}
	b.WriteString(html.EscapeString(text[from:]) + strings.Repeat("</span>", open) + "</pre>")
	return b.String()
}
