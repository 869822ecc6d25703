// Package replay plays counterexamples on a real control plane: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler and the descheduler, with a stand-in for the
// kubelets, for the metrics server and for the people who drain nodes.
//
// The control loops are left alone; what the package decides is when an event of the
// counterexample happens and when a pod of it starts or stops.
package replay

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// BinaryEnv names the variable that holds the path of the control plane's binary, which
// `make controlplane` builds.
const BinaryEnv = "KUBESETTLE_CONTROLPLANE"

// Plane is a running control plane on loopback, with a directory of its own. Time runs
// faster on it: an HPA syncs every second, a lost node is noticed after six, and pods
// leave it five seconds later. Stop ends its processes and removes its directory.
type Plane struct {
	Config *rest.Config
	Client kubernetes.Interface

	binary, dir, kubeconfig string

	mu       sync.Mutex
	children []*child
	stopping bool
	died     error
	dead     chan struct{} // closed when a component ended unasked
}

// Start starts a control plane and waits until it answers. schedulerConfig is a
// KubeSchedulerConfiguration without clientConnection; nil is the default profile. The
// controller manager gets further flags. Errors name the component that failed and what it said last; nothing is left then.
func Start(ctx context.Context, binary string, schedulerConfig []byte, flags ...string) (*Plane, error) {
	p, err := StartAPI(ctx, binary)
	if err != nil {
		return nil, err
	}
	err = p.spawn("kube-controller-manager", append([]string{"--kubeconfig", p.kubeconfig, "--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file", p.file("sa.key"), "--controllers=*,-bootstrap-signer-controller,-token-cleaner-controller",
		"--horizontal-pod-autoscaler-sync-period=1s", "--horizontal-pod-autoscaler-downscale-stabilization=5s",
		"--horizontal-pod-autoscaler-initial-readiness-delay=1s", "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
		"--node-monitor-period=1s", "--node-monitor-grace-period=6s", "--node-startup-grace-period=6s",
		"--kube-api-qps=200", "--kube-api-burst=400"}, flags...)...)
	if err == nil {
		err = p.startScheduler(schedulerConfig)
	}
	if err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// StartAPI starts etcd and an API server alone, as [Start] does: no control loop acts on what is applied.
func StartAPI(ctx context.Context, binary string) (*Plane, error) {
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("the control plane's binary: %w; `make controlplane` builds it", err)
	}
	dir, err := os.MkdirTemp("", "kubesettle-plane-")
	if err != nil {
		return nil, err
	}
	p := &Plane{binary: binary, dir: dir, kubeconfig: filepath.Join(dir, "kubeconfig"), dead: make(chan struct{})}
	if err := p.startAPI(ctx); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *Plane) file(name string) string { return filepath.Join(p.dir, name) }

// startAPI starts etcd and the API server.
func (p *Plane) startAPI(ctx context.Context) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return err
	}
	secret := hex.EncodeToString(token)
	if err := errors.Join(
		os.WriteFile(p.file("tokens.csv"), []byte(secret+",admin,admin,system:masters\n"), 0o600),
		writeKey(p.file("sa.key")),
	); err != nil {
		return err
	}
	etcd := "http://127.0.0.1:" + strconv.Itoa(ports[0])
	if err := p.spawn("etcd", "--data-dir", p.file("etcd"), "--client-url", etcd, "--peer-url", "http://127.0.0.1:"+strconv.Itoa(ports[1])); err != nil {
		return err
	}
	if err := p.spawn("kube-apiserver", "--etcd-servers", etcd, "--bind-address=127.0.0.1", "--secure-port", strconv.Itoa(ports[2]),
		"--cert-dir", p.file("certs"), "--token-auth-file", p.file("tokens.csv"), "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file", p.file("sa.key"),
		"--service-account-signing-key-file", p.file("sa.key"), "--service-cluster-ip-range=10.0.0.0/24",
		"--allow-privileged", "--disable-admission-plugins=ServiceAccount", "--endpoint-reconciler-type=none",
		"--default-not-ready-toleration-seconds=5", "--default-unreachable-toleration-seconds=5"); err != nil {
		return err
	}
	p.Config = &rest.Config{
		Host: "https://127.0.0.1:" + strconv.Itoa(ports[2]), BearerToken: secret,
		TLSClientConfig: rest.TLSClientConfig{CAFile: p.file("certs/apiserver.crt")}, QPS: 1000, Burst: 2000,
	}
	if p.Client, err = p.ready(ctx); err != nil {
		return err
	}
	return p.writeKubeconfig(secret)
}

// ready waits until the API server says that it is.
func (p *Plane) ready(ctx context.Context) (kubernetes.Interface, error) {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	for {
		if _, err := os.Stat(p.Config.CAFile); err == nil {
			c, err := kubernetes.NewForConfig(p.Config)
			if err != nil {
				return nil, err
			}
			if _, err := c.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err == nil {
				return c, nil
			}
		}
		select {
		case <-p.dead:
			return nil, p.Err()
		case <-ctx.Done():
			return nil, fmt.Errorf("the API server is not ready (%w); it said last: %s", context.Cause(ctx), tail(p.file("kube-apiserver.log")))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (p *Plane) writeKubeconfig(token string) error {
	c := clientcmdapi.NewConfig()
	c.Clusters["replay"] = &clientcmdapi.Cluster{Server: p.Config.Host, CertificateAuthority: p.Config.CAFile}
	c.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Token: token}
	c.Contexts["replay"] = &clientcmdapi.Context{Cluster: "replay", AuthInfo: "admin"}
	c.CurrentContext = "replay"
	return clientcmd.WriteToFile(*c, p.kubeconfig)
}

func (p *Plane) startScheduler(config []byte) error {
	if config == nil {
		config = []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
	}
	own := fmt.Sprintf("\nclientConnection: {kubeconfig: %q, qps: 200, burst: 400}\nleaderElection: {leaderElect: false}\n", p.kubeconfig)
	if err := os.WriteFile(p.file("scheduler.yaml"), append(config, own...), 0o600); err != nil {
		return err
	}
	return p.spawn("kube-scheduler", "--config", p.file("scheduler.yaml"), "--secure-port=0")
}

// StartDescheduler runs the descheduler under a DeschedulerPolicy, a cycle every so often.
func (p *Plane) StartDescheduler(policy []byte, interval time.Duration) error {
	if err := os.WriteFile(p.file("descheduler.yaml"), policy, 0o600); err != nil {
		return err
	}
	ports, err := freePorts(1)
	if err != nil {
		return err
	}
	return p.spawn("descheduler", "--kubeconfig", p.kubeconfig, "--policy-config-file", p.file("descheduler.yaml"),
		"--descheduling-interval", interval.String(), "--secure-port", strconv.Itoa(ports[0]), "--cert-dir", p.file("descheduler-certs"), "--bind-address=127.0.0.1")
}

// Err is why the control plane died; nil while it lives.
func (p *Plane) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.died
}

// Stop ends all processes, the last one started first, and removes the directory.
func (p *Plane) Stop() {
	p.mu.Lock()
	p.stopping = true
	children := p.children
	p.mu.Unlock()
	for i := len(children) - 1; i >= 0; i-- {
		children[i].stop()
	}
	_ = os.RemoveAll(p.dir)
}

// freePorts finds ports on loopback that nobody listens on. Somebody may take one before
// it is used; the component then ends and says so.
func freePorts(n int) ([]int, error) {
	var out []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("no free port on loopback: %w", err)
		}
		defer l.Close() // all are held until the last was found: no port twice
		out = append(out, l.Addr().(*net.TCPAddr).Port)
	}
	return out, nil
}

// writeKey writes the key that signs service accounts' tokens.
func writeKey(file string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	return os.WriteFile(file, block, 0o600)
}
