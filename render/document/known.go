package document

import "reflect"

// Known remembers how texts decode. A chart that is rendered again with another value gives mostly the same texts, and
// decoding them takes longer than filling the templates. Decoded documents are shared and must not be changed. A nil
// *Known remembers nothing. It is not for several goroutines at once.
type Known struct {
	// Most is the number of bytes of text that are remembered: decoded, they take ten times as much. Beyond it, all is
	// forgotten; 0: nothing is remembered.
	Most int

	kept  map[string]map[string]any
	twice map[string][]string // of the texts of kept that have such fields
	ids   map[uintptr]int     // from 1, by the content; 0: it was not handed out under a number
	last  int
	bytes int
	fresh bool
}

// Object decodes a document of one object, with the fields that stand twice in it; ok is false where it is something
// else.
func (t *Known) Object(text string) (content map[string]any, twice []string, ok bool, err error) {
	if t != nil {
		if m, kept := t.kept[text]; kept {
			return m, t.twice[text], true, nil
		}
	}
	v, twice, err := decode([]byte(text))
	if err != nil || v == nil {
		return nil, nil, v == nil, err
	}
	if content, ok = v.(map[string]any); ok && len(content) > 0 {
		t.keep(text, content, twice)
	}
	return content, twice, ok, nil
}

func (t *Known) keep(text string, content map[string]any, twice []string) {
	if t == nil || len(text) > t.Most {
		return
	}
	if t.bytes += len(text); t.bytes > t.Most || t.kept == nil {
		*t = Known{Most: t.Most, kept: map[string]map[string]any{}, twice: map[string][]string{}, ids: map[uintptr]int{},
			bytes: len(text), fresh: true}
	}
	t.kept[text] = content
	if len(twice) > 0 {
		t.twice[text] = twice
	}
	t.ids[reflect.ValueOf(content).Pointer()] = 0
}

// Number is that of a content which this remembers, or 0; known: it was asked for before.
func (t *Known) Number(content map[string]any) (id int, known bool) {
	if t == nil {
		return 0, false
	}
	at := reflect.ValueOf(content).Pointer() // a map that is remembered lives, so that no other one is there
	id, kept := t.ids[at]
	if !kept || id > 0 {
		return id, id > 0
	}
	t.last++
	t.ids[at] = t.last
	return t.last, false
}

// Forgot reports, once, that all that was remembered before is forgotten, and numbers begin again.
func (t *Known) Forgot() bool {
	if t == nil || !t.fresh {
		return false
	}
	t.fresh = false
	return true
}
