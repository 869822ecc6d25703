package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"

	"github.com/kubesettle/kubesettle/verify/finding"
)

//go:embed schema/result.schema.json
var resultSchema []byte

// ResultSchema is the JSON Schema (2020-12) of what [JSON] writes.
func ResultSchema() []byte { return bytes.Clone(resultSchema) }

// JSON writes the result as indented JSON with a newline at its end; keys stand in the
// order of the contract, lists are never null.
// Errors: the writer's.
func JSON(w io.Writer, r *finding.Result) error {
	b, err := encodeJSON(contractOf(sanitized(r)))
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// contract is a result as JSON has it: notes in words, and what they say as data.
type contract struct {
	*finding.Result
	Assumptions []string `json:"assumptions"`
	Notices     []string `json:"notices"`
	// Notes are the same, as data; results of other versions may not have them.
	Notes *writtenNotes `json:"notes,omitempty"`
}

type writtenNotes struct {
	Assumptions []writtenNote `json:"assumptions"`
	Notices     []writtenNote `json:"notices"`
}

// writtenNote is a note with its remedy, if it leaves something open.
type writtenNote struct {
	finding.Note
	Open bool   `json:"open,omitempty"`
	Do   string `json:"do,omitempty"`
}

func contractOf(r *finding.Result) *contract {
	return &contract{r, noteTexts(r.Assumptions), noteTexts(r.Notices),
		&writtenNotes{notesAsData(r.Assumptions), notesAsData(r.Notices)}}
}

func notesAsData(list []finding.Note) []writtenNote {
	out := []writtenNote{}
	for _, n := range list {
		out = append(out, writtenNote{n, n.Kind.Effect() == finding.Open, doAbout(n)})
	}
	return out
}

// ReadResult reads what [JSON] wrote; unknown fields are tolerated. The words of a version that wrote nothing else are
// quoted.
func ReadResult(data []byte) (*finding.Result, error) {
	c := contract{Result: &finding.Result{}, Notes: &writtenNotes{}}
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if c.Notes == nil { // it said null
		c.Notes = &writtenNotes{}
	}
	c.Result.Assumptions = readNotes(c.Notes.Assumptions, c.Assumptions)
	c.Result.Notices = readNotes(c.Notes.Notices, c.Notices)
	return c.Result, nil
}

func readNotes(list []writtenNote, texts []string) []finding.Note {
	out := []finding.Note{}
	for i, text := range texts {
		n := finding.Say(finding.Quoted, text)
		if len(list) == len(texts) && list[i].Kind != "" {
			n = list[i].Note
		}
		out = append(out, n)
	}
	return out
}

// encodeJSON is v in JSON: two spaces of indent, < > & as they are.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
