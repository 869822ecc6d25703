package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/search"
)

// The benchmarks print tables. SPIN's verifier and the search run as processes of their
// own, so that their processor time and memory are measured alike; the search's is this
// test binary, told by childVariable what to search.
const childVariable = "KUBESETTLE_SEARCH_BENCH"

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		if err := searchAsChild(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// measured is one search in a process of its own.
type measured struct {
	States, Transitions, Bytes uint64
	Wall, CPU                  time.Duration
	PeakKiB                    uint64
}

func searchAsChild(text string) error {
	var size spinSize
	if err := json.Unmarshal([]byte(text), &size); err != nil {
		return err
	}
	sys := size.system()
	begin := time.Now()
	res, err := search.Run(context.Background(), sys, search.Options{Workers: 1})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(measured{States: res.States, Transitions: res.Transitions, Bytes: res.Bytes, Wall: time.Since(begin)})
}

func measure(b *testing.B, size spinSize) measured {
	b.Helper()
	text, err := json.Marshal(size)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s", childVariable, text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var m measured
	if err := json.Unmarshal(out, &m); err != nil {
		b.Fatal(err)
	}
	m.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.PeakKiB = peak(cmd.ProcessState)
	return m
}

// spinOrNotice says in the output where SPIN is missing.
func spinOrNotice() bool {
	err := spinAvailable()
	if err != nil {
		fmt.Printf("SPIN IS MISSING, so nothing is compared with it live: %v\n", err)
	}
	return err == nil
}

// BenchmarkCountsOfSPIN runs SPIN on all models at all sizes.
func BenchmarkCountsOfSPIN(b *testing.B) {
	live := spinOrNotice()
	fmt.Println("\n| model | states | transitions | deadlocks | SPIN |\n|---|---|---|---|---|")
	for _, size := range spinSizes() {
		res, err := search.Run(context.Background(), size.system(), search.Options{})
		if err != nil {
			b.Fatal(err)
		}
		want, verdict := size, "equal (recorded)"
		if live {
			p, err := compilePan(b.Context(), b.TempDir(), size, "-O1")
			if err != nil {
				b.Fatal(err)
			}
			c, err := p.run(b.Context(), 20)
			if err != nil {
				b.Fatal(err)
			}
			want, verdict = c.spinSize, "equal (live)"
		}
		if res.States != want.States || res.Transitions != want.Transitions || res.Quiescent != want.Deadlocks || want != size {
			verdict = fmt.Sprintf("DIFFERS: %d, %d, %d", want.States, want.Transitions, want.Deadlocks)
			b.Errorf("%s: %s", size, verdict)
		}
		fmt.Printf("| %s | %d | %d | %d | %s |\n", size, res.States, res.Transitions, res.Quiescent, verdict)
	}
}

// million is the ring that speed is measured on.
func million() spinSize { return spinSize{"ring", 6, 9, 0, 1e6, 10860000, 0} }

// BenchmarkAgainstSPIN measures SPIN (pan -O2 -DNOREDUCE -DSAFETY) and one worker in
// turn, so that they share whatever else the machine does.
func BenchmarkAgainstSPIN(b *testing.B) {
	million := million()
	var verifier *pan
	if spinOrNotice() {
		var err error
		if verifier, err = compilePan(b.Context(), b.TempDir(), million, "-O2"); err != nil {
			b.Fatal(err)
		}
	}
	rate := func(d time.Duration) float64 { return float64(million.Transitions) / 1e6 / d.Seconds() }
	var wall, processor []float64
	fmt.Printf("\n%s: million transitions a second of wall time (of processor time)\n\n", million)
	fmt.Println("| round | pan -O2 | 1 worker | ratio |\n|---|---|---|---|")
	for round := range 5 {
		one := measure(b, million)
		if one.States != million.States || one.Transitions != million.Transitions {
			b.Fatalf("%d states, %d transitions", one.States, one.Transitions)
		}
		spin, ratio := "-", "-"
		if verifier != nil {
			c, err := verifier.run(b.Context(), 22)
			if err != nil {
				b.Fatal(err)
			}
			if c.spinSize != million {
				b.Fatalf("pan counts %+v", c.spinSize)
			}
			wall, processor = append(wall, c.Elapsed.Seconds()/one.Wall.Seconds()), append(processor, c.CPU.Seconds()/one.CPU.Seconds())
			spin = fmt.Sprintf("%.2f (%.2f)", rate(c.Elapsed), rate(c.CPU))
			ratio = fmt.Sprintf("%.2f (%.2f)", wall[round], processor[round])
			b.ReportMetric(float64(c.PeakKiB)/1024, "pan-MiB")
		}
		fmt.Printf("| %d | %s | %.2f (%.2f) | %s |\n", round+1, spin, rate(one.Wall), rate(one.CPU), ratio)
		b.ReportMetric(float64(one.PeakKiB)/1024, "MiB")
		b.ReportMetric(float64(one.Bytes)/float64(one.States), "B/state")
	}
	if verifier != nil {
		b.ReportMetric(median(wall), "x-pan-wall")
		b.ReportMetric(median(processor), "x-pan-cpu")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkTwoWorkers measures one and two workers in turn, and beside them what two
// goroutines of mere arithmetic gain over one: where that is not near 2, the machine had
// no two cores to give and the round says nothing.
func BenchmarkTwoWorkers(b *testing.B) {
	sys := million().system()
	run := func(workers int) float64 {
		begin := time.Now()
		if _, err := search.Run(context.Background(), sys, search.Options{Workers: workers}); err != nil {
			b.Fatal(err)
		}
		return time.Since(begin).Seconds()
	}
	run(1) // the first one pays for the memory
	var all, free []float64
	fmt.Println("\n| round | 1 worker, s | 2 workers, s | ratio | two cores gain |\n|---|---|---|---|---|")
	for round := range 8 {
		before := coresGain()
		one, two := run(1), run(2)
		gain := min(before, coresGain())
		all = append(all, one/two)
		if gain > 1.8 {
			free = append(free, one/two)
		}
		fmt.Printf("| %d | %.3f | %.3f | %.2f | %.2f |\n", round+1, one, two, one/two, gain)
	}
	b.ReportMetric(median(all), "x-2-workers")
	b.ReportMetric(float64(len(free)), "rounds-with-2-cores")
	if len(free) > 0 {
		b.ReportMetric(median(free), "x-2-workers-with-2-cores")
	}
	b.ReportMetric(0, "ns/op")
}

// coresGain is how much more arithmetic two goroutines do than one in the same time.
func coresGain() float64 {
	work := func() {
		x := uint64(1)
		for range 100_000_000 {
			x = x*6364136223846793005 + 1
		}
		if x == 0 {
			panic("cannot be")
		}
	}
	begin := time.Now()
	work()
	one := time.Since(begin)
	begin = time.Now()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(work)
	}
	wg.Wait()
	return 2 * one.Seconds() / time.Since(begin).Seconds()
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// BenchmarkGrowth measures rings of 10^4 to 10^7 states, and fits time and memory to a
// power of the number of states.
func BenchmarkGrowth(b *testing.B) {
	fmt.Println("\n| states | seconds | CPU seconds | CPU us a state | bytes a state | resident MiB |\n|---|---|---|---|---|---|")
	var states, seconds, cpu, memory []float64
	for n := 4; n <= 7; n++ {
		m := measure(b, spinSize{Model: "ring", N: n, M: 9})
		s := float64(m.States)
		states, seconds, cpu, memory = append(states, s), append(seconds, m.Wall.Seconds()), append(cpu, m.CPU.Seconds()), append(memory, float64(m.Bytes))
		fmt.Printf("| %d | %.3f | %.3f | %.2f | %.1f | %.0f |\n", m.States, m.Wall.Seconds(), m.CPU.Seconds(), 1e6*m.CPU.Seconds()/s, float64(m.Bytes)/s, float64(m.PeakKiB)/1024)
	}
	b.ReportMetric(exponent(states, seconds), "exponent-wall")
	b.ReportMetric(exponent(states, cpu), "exponent-cpu")
	b.ReportMetric(exponent(states, memory), "exponent-bytes")
	b.ReportMetric(0, "ns/op")
}

// exponent is the least-squares exponent of y as a power of x.
func exponent(x, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range x {
		a, b := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	n := float64(len(x))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
