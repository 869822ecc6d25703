package replay

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// child is one process of the control plane. It dies with this one.
type child struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed when it has ended
}

// spawn starts a component; dead is told when it ends unasked.
func (p *Plane) spawn(component string, args ...string) error {
	log := filepath.Join(p.dir, component+".log")
	f, err := os.Create(log)
	if err != nil {
		return err
	}
	defer f.Close()
	c := &child{name: component, log: log, done: make(chan struct{})}
	c.cmd = exec.Command(p.binary, append([]string{component}, args...)...)
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.Dir = f, f, p.dir
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", component, err)
	}
	p.mu.Lock()
	p.children = append(p.children, c)
	p.mu.Unlock()
	go func() {
		err := c.cmd.Wait()
		close(c.done)
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.stopping && p.died == nil {
			p.died = fmt.Errorf("%s ended in mid-replay (%s); it said last: %s", component, exitOf(err), tail(log))
			close(p.dead)
		}
	}()
	return nil
}

func exitOf(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "exit status 0"
	case errors.As(err, &exit):
		return exit.ProcessState.String()
	default:
		return err.Error()
	}
}

// stop ends a child: politely, then not.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
	case <-time.After(2 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.done
	}
}

// tail is the last line of a log that has words in it.
func tail(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	last := lines[len(lines)-1]
	if len(last) > 400 {
		last = last[:400]
	}
	if len(last) == 0 {
		return "nothing"
	}
	return string(last)
}
