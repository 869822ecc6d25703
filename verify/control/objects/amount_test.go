package objects

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// An amount of bytes is short, is a quantity that Kubernetes reads, and is off by half a percent at most; what has a
// short form of its own is told exactly.
func TestQuantityIsShortAndTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 20000 {
		n := int64(math.Exp2(r.Float64() * 52))
		s := Quantity(corev1.ResourceMemory, n*1000)
		q, err := resource.ParseQuantity(s)
		if err != nil || len(s) > len("1536Mi") {
			t.Fatalf("%d bytes are %q: %v", n, s, err)
		}
		if off := math.Abs(q.AsApproximateFloat64()-float64(n)) / float64(n); off > 0.005 {
			t.Fatalf("%d bytes are %q, which is off by %.2g", n, s, off)
		}
	}
	for range 2000 {
		s := []string{"Ki", "Mi", "Gi", "Ti", "M", "G"}[r.IntN(6)]
		q := resource.MustParse(fmt.Sprint(1+r.Int64N(999)) + s)
		got := resource.MustParse(Quantity("requests.memory", q.Value()*1000))
		if got.Cmp(q) != 0 {
			t.Fatalf("%s is told as %s", q.String(), got.String())
		}
	}
}

func TestQuantityWords(t *testing.T) {
	for _, x := range []struct {
		name  corev1.ResourceName
		milli int64
		want  string
	}{
		{"memory", 19756849561_000, "18.4Gi"},
		{"limits.memory", 1073741824_000, "1Gi"},
		{"requests.storage", 1610612736_000, "1536Mi"},
		{"gold.storageclass.storage.k8s.io/requests.storage", 2_000_000_000_000, "2G"},
		{"memory", 0, "0"},
		{"memory", 1_073_741_823_000, "1Gi"},
		{"cpu", 2000, "2"},
		{"requests.cpu", 250, "250m"},
		{"pods", 12345678_000, "12345678"},
		{"nvidia.com/gpu", 1000, "1"},
	} {
		if got := Quantity(x.name, x.milli); got != x.want {
			t.Errorf("%s: %d is %q, want %q", x.name, x.milli, got, x.want)
		}
	}
	if got := AmountOf(corev1.ResourceCPU, 2000); got != "2000m" {
		t.Errorf("CPU in use is %q", got)
	}
}

// Amounts that differ never read alike where they stand side by side.
func TestQuantitiesAreToldApart(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	for range 5000 {
		a := r.Int64N(1 << 40)
		b := a + r.Int64N(1<<20)
		s := Quantities(corev1.ResourceMemory, a*1000, b*1000)
		if (s[0] == s[1]) != (a == b) {
			t.Fatalf("%d and %d bytes are %q", a, b, s)
		}
	}
}
