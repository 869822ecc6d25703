package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Limits of the code scanning surface.
const (
	sarifResults  = 5000
	sarifBytes    = 9_500_000 // GitHub refuses more than 10 MB
	sarifFlows    = 500       // results that show their interleaving
	sarifSteps    = 100       // steps of one interleaving
	sarifRelated  = 50        // related locations of one result
	fallbackFile  = ".kubesettle.yaml"
	fingerprintID = "kubesettle/v1"
)

// SARIF writes the result in SARIF 2.1.0, for GitHub code scanning. It is a valid file
// with any number of results, none included. What a limit leaves out is the least
// urgent, and a notification says how much it was.
// Errors: the writer's.
func SARIF(w io.Writer, r *finding.Result, opt Options) error {
	r = drawn(r)
	maxBytes := cmp.Or(opt.Bytes, sarifBytes)
	limit := sarifLimit{results: cmp.Or(opt.Results, sarifResults), flows: sarifFlows}
	for {
		doc, err := sarifDocument(r, opt, limit)
		if err != nil {
			return err
		}
		size, err := gzipSize(doc)
		if err != nil {
			return err
		}
		if size <= maxBytes || !limit.shrink(r, float64(maxBytes)/float64(size)) {
			_, err = w.Write(doc)
			return err
		}
	}
}

// sarifLimit says how many results stand in the file, and how many with a code flow.
type sarifLimit struct{ results, flows int }

// shrink drops code flows, then results, to about share of their number; false when nothing is left to drop.
func (l *sarifLimit) shrink(r *finding.Result, share float64) bool {
	l.results = min(l.results, len(r.Findings)+len(r.Waived))
	l.flows = min(l.flows, l.results)
	less := func(n int) int { return min(n-1, int(float64(n)*share*0.9)) }
	switch {
	case l.flows > 0:
		l.flows = less(l.flows)
	case l.results > 0:
		l.results = less(l.results)
	default:
		return false
	}
	return true
}

func gzipSize(doc []byte) (int, error) {
	var n counter
	z := gzip.NewWriter(&n)
	if _, err := z.Write(doc); err != nil {
		return 0, err
	}
	err := z.Close()
	return int(n), err
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// sarifDocument is the file within a limit.
func sarifDocument(r *finding.Result, opt Options, limit sarifLimit) ([]byte, error) {
	report, err := sarif.New(sarif.Version210)
	if err != nil {
		return nil, err
	}
	run := sarif.NewRun(*sarif.NewTool(sarifDriver(r, rulesOr(opt.Rules))))
	items := sarifItems(r)
	kept := items[:min(len(items), limit.results)]
	for i, it := range kept {
		res := sarifResult(it, i < limit.flows)
		run.AddResult(res)
	}
	run.WithColumnKind("unicodeCodePoints")
	category := strings.Trim(line(cmp.Or(opt.Category, "kubesettle")), "/")
	run.WithAutomationDetails(sarif.NewRunAutomationDetails().
		WithID(category + "/").
		WithDescriptionText("Kubesettle on " + cmp.Or(revisions(r), "one state of manifests") + "."))
	run.AddInvocations(sarifInvocation(r, len(items), len(kept), limit))
	root := sarif.NewArtifactLocation().WithDescription(sarif.NewTextMessage("The root of the repository."))
	if opt.Repository != "" {
		vcs := sarif.NewVersionControlDetails().WithRepositoryURI(line(opt.Repository)).
			WithMappedTo(sarif.NewArtifactLocation().WithUriBaseId(srcRoot))
		if c := line(r.Head.Commit); c != "" {
			vcs.WithRevisionID(c)
		}
		run.AddVersionControlProvenance(vcs)
	}
	run.WithOriginalUriBaseIds(map[string]*sarif.ArtifactLocation{srcRoot: root})
	run.Properties = properties(map[string]string{
		"verdict": string(r.Verdict), "base": r.Base.Commit, "head": r.Head.Commit, "coverage": coverageSentence(&r.Coverage),
	})
	report.AddRun(run)
	return encodeSARIF(report)
}

// encodeSARIF writes the report without the nulls that the library leaves where the
// schema wants a property to be absent.
func encodeSARIF(report *sarif.Report) ([]byte, error) {
	var flat bytes.Buffer
	enc := json.NewEncoder(&flat)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(report); err != nil {
		return nil, fmt.Errorf("sarif: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, dropNulls(flat.Bytes()), "", " "); err != nil {
		return nil, fmt.Errorf("sarif: %w", err)
	}
	return out.Bytes(), nil
}

// dropNulls leaves out the members of objects that are null. In compact JSON a quote
// before ":null" ends a key: within a string it would be escaped.
func dropNulls(compact []byte) []byte {
	null := []byte(`":null`)
	out := make([]byte, 0, len(compact))
	for {
		i := bytes.Index(compact, null)
		if i < 0 {
			return append(out, compact...)
		}
		open := bytes.LastIndexByte(compact[:i], '"')
		if open < 0 || bytes.IndexByte(compact[open:i], '\\') >= 0 {
			out = append(out, compact[:i+len(null)]...) // the text of a string
			compact = compact[i+len(null):]
			continue
		}
		out = append(out, compact[:open]...)
		compact = compact[i+len(null):]
		if n := len(out); out[n-1] == ',' {
			out = out[:n-1]
		} else if compact[0] == ',' {
			compact = compact[1:]
		}
	}
}
