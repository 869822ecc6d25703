package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// remoteFaults are ways in which an API fails. Each answers one request; done ends with the test.
func remoteFaults(done <-chan struct{}) map[string]http.HandlerFunc {
	wait := func(r *http.Request, d time.Duration) {
		select {
		case <-r.Context().Done():
		case <-done:
		case <-time.After(d):
		}
	}
	status := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		}
	}
	return map[string]http.HandlerFunc{
		"503":                  status(http.StatusServiceUnavailable),
		"503, try again later": status(http.StatusServiceUnavailable, "Retry-After", "20"),
		"429":                  status(http.StatusTooManyRequests, "Retry-After", "20"),
		"refuses":              status(http.StatusForbidden),
		"asks for a token":     status(http.StatusUnauthorized),
		"knows nothing":        status(http.StatusNotFound),
		"leads in a circle":    status(http.StatusFound, "Location", "/elsewhere"),
		"hangs":                func(_ http.ResponseWriter, r *http.Request) { wait(r, time.Minute) },
		"is slow": func(w http.ResponseWriter, r *http.Request) {
			wait(r, 400*time.Millisecond)
			fmt.Fprint(w, "[]")
		},
		"hangs up": func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				c.Close()
			}
		},
		"says nonsense": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"writes without end": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "[")
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, strings.Repeat(`{"id": 1, "body": "x"},`, 1000)); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				wait(r, 10*time.Millisecond)
			}
		},
		"lists without end": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=2>; rel="next"`, r.Host, r.URL.Path))
			w.Header().Set("X-Next-Page", "2")
			fmt.Fprint(w, `[{"id": 1, "body": "x"}]`)
		},
	}
}

// Whatever the API does, everything local is there before it is asked for the first time, the verdict is that of the
// check, and the run ends within what remote things may take.
func TestWhatIsLocalComesFirst(t *testing.T) {
	if raceDetector {
		t.Skip("the server looks at what the process wrote while the process hangs on its answer, so that nothing orders the two")
	}
	const limit = time.Second
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	faults := remoteFaults(done)
	faults["is down"] = nil
	for name, answer := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for its server
			s := newStep(t, 1500)
			s.remote = limit
			s.env["INPUT_HTML-FILE"], s.env["INPUT_GITHUB-TOKEN"], s.env["INPUT_INLINE-SUGGESTIONS"] = "r.html", "t0ken", "true"
			local := func() {
				if got := s.outputs(); got["verdict"] != "fail" || got["sarif-file"] != "kubesettle.sarif" || len(got) != len(actionOutputs) {
					t.Errorf("outputs %v", got)
				}
				for _, file := range []string{"kubesettle.json", "kubesettle.sarif", "r.html"} {
					if s.read("workspace/"+file) == "" {
						t.Errorf("%s is empty", file)
					}
				}
				if !strings.Contains(s.read("summary"), "unschedulable") || !strings.Contains(s.log.String(), "::error") {
					t.Error("no summary, or no annotation")
				}
			}
			var once sync.Once
			asked := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				once.Do(func() { local(); asked = true })
				answer(w, r)
			}))
			defer server.CloseClientConnections()
			s.env["GITHUB_API_URL"], s.env["GITHUB_GRAPHQL_URL"] = server.URL, server.URL+"/graphql"
			if answer == nil {
				server.Close()
			}
			began := time.Now()
			if got := s.run(); got != exitFinding {
				t.Errorf("exit code %d\n%s", got, s.log.String())
			}
			if took := time.Since(began); took > 20*limit {
				t.Errorf("it took %s", took)
			}
			if local(); !asked && answer != nil {
				t.Errorf("the API was not asked\n%s", s.log.String())
			}
		})
		t.Run(name+", GitLab", func(t *testing.T) {
			t.Parallel()
			s, env := mergeRequest(t, 1500)
			report := filepath.Join(s.dir, "r.json")
			var out, said bytes.Buffer
			var once sync.Once
			local := func() {
				if !strings.Contains(s.read("r.json"), `"verdict": "fail"`) || !strings.Contains(out.String(), "unschedulable") {
					t.Errorf("no report, or no text:\n%s", out.String())
				}
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				once.Do(local)
				answer(w, r)
			}))
			defer server.CloseClientConnections()
			env["CI_API_V4_URL"] = server.URL
			if answer == nil {
				server.Close()
			}
			p := &process{stdout: &out, stderr: &said, getenv: func(name string) string { return env[name] }, remote: limit}
			code := execute(t.Context(), p, []string{"ci", "--repo", filepath.Join(s.dir, "workspace"), "--offline", "--output", "json=" + report, "--output", "text"})
			if local(); code != exitFinding {
				t.Errorf("exit code %d: %s", code, said.String())
			}
		})
	}
}
