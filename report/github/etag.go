package github

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// Limits of what one run keeps of answers that it may ask for again.
const (
	maxKeptBytes = 4 << 20
	maxKept      = 100
)

// etags keeps answers that name their state, so that asking again costs nothing of the
// rate limit where nothing has changed: the comments of a pull request are listed before
// and after one is made.
type etags struct {
	mu   sync.Mutex
	kept map[string]keptAnswer
}

type keptAnswer struct {
	tag    string
	header http.Header
	body   []byte
}

// ask puts the state that is known into a request.
func (e *etags) ask(req *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if k, ok := e.kept[req.URL.String()]; ok && req.Method == http.MethodGet {
		req.Header.Set("If-None-Match", k.tag)
	}
}

// answer keeps responses that may be asked for again, and returns the kept one if the server says that it is still
// valid.
func (e *etags) answer(req *http.Request, res *http.Response) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return res, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	key := req.URL.String()
	if k, ok := e.kept[key]; ok && res.StatusCode == http.StatusNotModified {
		res.Body.Close()
		again := *res
		again.StatusCode, again.Status = http.StatusOK, "200 OK"
		again.Header = k.header.Clone()
		again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(k.body)), int64(len(k.body))
		return &again, nil
	}
	tag := res.Header.Get("ETag")
	if res.StatusCode != http.StatusOK || tag == "" || len(e.kept) >= maxKept {
		return res, nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxKeptBytes+1))
	if err != nil {
		res.Body.Close()
		return nil, err
	}
	rest := res.Body
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), rest), rest}
	if len(body) <= maxKeptBytes {
		if e.kept == nil {
			e.kept = map[string]keptAnswer{}
		}
		e.kept[key] = keptAnswer{tag, res.Header.Clone(), body}
	}
	return res, nil
}
