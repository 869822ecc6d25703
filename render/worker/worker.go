package worker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Limits of one render in a worker process.
const (
	// DefaultRenderTime is how long one release may take; the slowest of 1,856 measured
	// ones took 8 s.
	DefaultRenderTime = 60 * time.Second
	// DefaultRenderMemory is how much heap a worker may use, in bytes. Where more than one
	// runs they have half as much again together, and none less than leastRenderMemory.
	DefaultRenderMemory = 1 << 30
	leastRenderMemory   = 384 << 20
	// maxOutputBytes bounds what one release renders to; 5 MiB are a large chart.
	maxOutputBytes = 128 << 20
	// bigOutput is the size of an output after which a worker gives its memory back.
	bigOutput = 4 << 20
	// mostKnown is how many bytes of rendered texts a worker remembers decoded.
	mostKnown = 4 << 20
	// workerGC is the garbage that a worker lets lie, in percent of what lives: it allocates
	// much and keeps little, and its memory limit stands above.
	workerGC = 400
	// warmUp is the time that a worker takes to start and to read the schemas, on a machine with other work: one that
	// is to be idle again within that time is waited for, as it costs no processor time.
	warmUp = 400 * time.Millisecond
	// exitMemory is the exit code of a worker that stopped itself for its memory.
	exitMemory = 66
	// exitOrphan is that of a worker whose parent is gone.
	exitOrphan = 67
)

// Sandbox says how releases are rendered in separate processes: a template may allocate or loop without end, and only a
// process can be stopped. The zero Sandbox renders in this process, without these limits.
type Sandbox struct {
	// Command starts a worker, which calls [Serve]: the program and its arguments.
	Command []string
	Time    time.Duration // per release; 0: [DefaultRenderTime]
	Memory  int64         // bytes per worker; 0: [DefaultRenderMemory]
}

// Runner renders recipes.
type Runner interface {
	Run(j *release.Recipe) release.Output
	Close()
}

// here renders in this process.
type here struct{}

func (here) Run(j *release.Recipe) release.Output { return runHere(j, nil) }
func (here) Close()                               {}

// process is one worker.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	said  *firstBytes       // on standard error
	files map[string][]byte // of the recipe that it had last
	// earlier are the contents of documents that it will not send again, by number.
	earlier map[int]map[string]any
}

// firstBytes keeps the beginning of the text that is written.
type firstBytes struct{ text []byte }

func (f *firstBytes) Write(p []byte) (int, error) {
	f.text = append(f.text, p[:min(len(p), max(0, 4096-len(f.text)))]...)
	return len(p), nil
}

// starved reports whether these are the words with which Go's runtime ends a process that gets
// no memory, for its heap or for a thread's stack. The collector does not look at what it got: it
// reads a queue that is not there (spanQueue.tryDrain of Go 1.26), and "PC=" after the signal says
// that it is the runtime itself that failed; code outside of it panics.
func (f *firstBytes) starved() bool {
	for _, words := range []string{"out of memory", "cannot allocate memory", "failed to create new OS thread",
		"pthread_create failed", "cannot map pages", "SIGSEGV: segmentation violation\nPC="} {
		if bytes.Contains(f.text, []byte(words)) {
			return true
		}
	}
	return false
}

// Run renders a recipe in an idle worker and stops the worker where it does not end well.
func (p *pool) Run(j *release.Recipe) release.Output {
	if kept, ok := p.outputs.find(j); ok {
		return kept
	}
	if j.Release.Kind == object.Manifests && j.Release.Jsonnet == nil {
		return p.read(j)
	}
	w := p.take()
	var out release.Output
	defer func() { p.give(w) }()
	if w == nil {
		var err error
		if w, err = p.start(); err != nil {
			return release.Output{Err: &object.Failure{Reason: "no worker process: " + err.Error(),
				Where: object.FileStart(j.Release.Path), Remedy: "check that the program can start itself"}}
		}
	}
	type answer struct {
		out release.Output
		err error
	}
	done := make(chan answer, 1)
	go func(w *process) {
		o, frame, err := w.ask(j)
		if err == nil {
			p.outputs.keep(j, o, frame)
		}
		done <- answer{o, err}
	}(w)
	limit := p.clock.Left(p.box.Time)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var why string
	select {
	case a := <-done:
		if a.err == nil {
			return a.out
		}
		why = w.stop(a.err, p.box)
	case <-timer.C:
		w.kill()
		w = nil
		return release.Output{Err: p.late(j)}
	case <-p.ctx.Done():
		why = "the run was stopped"
		w.kill()
	}
	w = nil
	out.Err = stopped(j, why)
	return out
}

// late is the failure of a recipe for which the time ended, that of the run or its own.
func (p *pool) late(j *release.Recipe) *object.Failure {
	f := j.Cut()
	if !p.clock.Over() {
		f.Reason = fmt.Sprintf("%s: it took longer than %s to render", j.Release.Path, p.box.Time)
		f.Remedy = "make it faster"
	}
	return f
}

// stopped is the failure of a recipe that was not rendered to its end.
func stopped(j *release.Recipe, why string) *object.Failure {
	return &object.Failure{
		Reason: fmt.Sprintf("%s: %s", j.Release.Path, why),
		Where:  object.FileStart(j.EntryFile()),
		Remedy: "look for an endless loop or unbounded output in the templates and values",
	}
}

// start starts a worker without any of our environment: tokens stay here.
func (p *pool) start() (*process, error) {
	cmd := exec.Command(p.box.Command[0], p.box.Command[1:]...)
	cmd.Env = []string{"GOMAXPROCS=1", "GOGC=" + strconv.Itoa(workerGC)} // from its first moment on
	cmd.Dir = os.TempDir()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	said := &firstBytes{}
	cmd.Stderr = said
	dieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &process{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<16), said: said, earlier: map[int]map[string]any{}}
	b, err := json.Marshal(workerSettings{Memory: p.box.Memory})
	if err == nil {
		err = writeFrame(in, b)
	}
	if err != nil {
		w.kill()
		return nil, err
	}
	return w, nil
}

// workerSettings is the first frame that a worker reads.
type workerSettings struct {
	Memory int64 // bytes
}

// ask sends a recipe and reads its output, which it gives also as it was read; nil where that is not all of it.
func (w *process) ask(j *release.Recipe) (release.Output, []byte, error) {
	b, err := encodeRecipe(j, w.files)
	if err != nil {
		return release.Output{}, nil, err
	}
	w.files = maps.Clone(j.Files) // later ones may be added
	if err := writeFrame(w.in, b); err != nil {
		return release.Output{}, nil, err
	}
	b, err = readFrame(w.out, maxOutputBytes)
	if err != nil {
		return release.Output{}, nil, err
	}
	if len(b) > bigOutput {
		w.files = nil // as the worker does
	}
	out, whole, err := decodeOutput(b, w.earlier)
	if !whole {
		b = nil
	}
	return out, b, err
}

// stop says why a worker that broke off did so.
func (w *process) stop(err error, box Sandbox) string {
	w.in.Close()
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait() // only the exit code is wanted, and it is read next
	if w.cmd.ProcessState.ExitCode() == exitMemory || w.said.starved() {
		return fmt.Sprintf("it needed more than %d MiB of memory", box.Memory>>20)
	}
	if errors.Is(err, errFrame) {
		return fmt.Sprintf("it renders to more than %d MiB", maxOutputBytes>>20)
	}
	if bytes.Contains(w.said.text, []byte("stack overflow")) {
		return "it nests endlessly"
	}
	return "the renderer stopped: " + w.cmd.ProcessState.String()
}

func (w *process) kill() {
	_ = w.cmd.Process.Kill()
	go func() { _ = w.cmd.Wait() }()
}

var errFrame = errors.New("frame too large")

// orders reads the incoming recipes, whatever the process does meanwhile. If the input ends while a recipe is rendered,
// its output is no longer wanted: the process ends, however long the template would have run. Linux ends it by itself,
// see [dieWithParent].
func orders(in *bufio.Reader, busy *atomic.Bool) <-chan order {
	list := make(chan order)
	go func() {
		for {
			b, err := readFrame(in, 1<<31-1)
			if err != nil && busy.Load() {
				os.Exit(exitOrphan)
			}
			busy.Store(err == nil)
			list <- order{b, err}
			if err != nil {
				return
			}
		}
	}()
	return list
}

// order is one frame, or why there is none.
type order struct {
	frame []byte
	err   error
}

// Serve renders the recipes that come in on r until it ends, and writes their outputs to
// w: what the process of a [Sandbox] does. It ends the process when its memory passes
// the limit that comes first on r, and when r ends before a recipe does: nothing else can end
// a template that allocates or loops.
// Errors: a broken pipe or a frame that is none.
func Serve(r io.Reader, w io.Writer) error {
	log.SetOutput(io.Discard) // Helm logs values
	in := bufio.NewReaderSize(r, 1<<16)
	b, err := readFrame(in, 1<<10)
	if err != nil {
		return err
	}
	var settings workerSettings
	if err := json.Unmarshal(b, &settings); err != nil {
		return err
	}
	debug.SetGCPercent(workerGC)
	if settings.Memory > 0 {
		debug.SetMemoryLimit(settings.Memory - settings.Memory/8)
		debug.SetMaxStack(int(settings.Memory / 4))
		limitMemory(uint64(settings.Memory))
		go watchMemory(uint64(settings.Memory))
	}
	var busy atomic.Bool
	known, files := &document.Known{Most: mostKnown}, map[string][]byte{}
	for next := range orders(in, &busy) {
		b, err = next.frame, next.err
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		j, err := decodeRecipe(b, files)
		if err != nil {
			return err
		}
		files = j.Files
		out := runHere(j, known)
		if b, err = encodeOutput(j, out, known); err != nil {
			return err
		}
		busy.Store(false) // before the answer: the next recipe follows it
		if err := writeFrame(w, b); err != nil {
			return err
		}
		if len(b) > bigOutput {
			j, files, out, b = nil, nil, release.Output{}, nil
			debug.FreeOSMemory() // for the next worker's, or the parent's
		}
	}
	return nil
}

// watchMemory ends the process when the heap passes the limit: a template that
// allocates cannot be interrupted otherwise.
func watchMemory(limit uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		metrics.Read(sample)
		if sample[0].Value.Uint64() > limit {
			os.Exit(exitMemory)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
