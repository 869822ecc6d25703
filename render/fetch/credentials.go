package fetch

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"helm.sh/helm/v3/pkg/helmpath"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"sigs.k8s.io/yaml"
)

// keys are the credentials of this machine: a docker configuration, with its helpers, and the repositories that were
// added to Helm. They are read when the first named host asks, given to that host alone and never printed.
type keys struct {
	file string // --registry-config
	// Helm's files, where its environment names them; "" is Helm's own place.
	helmRepositories, helmRegistry string
	once                           sync.Once
	store                          credentials.Store
	repos                          []helmRepository
	err                            error
}

// helmRepository is an entry of Helm's repositories.yaml.
type helmRepository struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Username string `json:"username"`
	Password string `json:"password"`
}

func (k *keys) read() {
	k.once.Do(func() {
		k.store, k.err = k.open()
		file := cmp.Or(k.helmRepositories, helmpath.ConfigPath("repositories.yaml"))
		var list struct {
			Repositories []helmRepository `json:"repositories"`
		}
		if b, err := readBounded(file, 1<<20); err == nil && yaml.Unmarshal(b, &list) == nil {
			k.repos = list.Repositories
		}
	})
}

// open opens the docker configuration that was named, or docker's own and Helm's.
func (k *keys) open() (credentials.Store, error) {
	if file := k.file; file != "" {
		if _, err := os.Stat(file); err != nil {
			return nil, &Error{Reason: "--registry-config " + file + " cannot be read",
				Remedy: "give the file that `docker login` or `helm registry login` writes"}
		}
		s, err := credentials.NewStore(file, credentials.StoreOptions{})
		if err != nil { // it may quote the file: nothing of it is passed on
			return nil, &Error{Reason: "--registry-config " + file + " is not a docker configuration",
				Remedy: "give the file that `docker login` or `helm registry login` writes"}
		}
		return s, nil
	}
	own := cmp.Or(k.helmRegistry, helmpath.ConfigPath("registry/config.json"))
	docker, dockerErr := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	helm, helmErr := credentials.NewStore(own, credentials.StoreOptions{})
	switch {
	case dockerErr == nil && helmErr == nil:
		return credentials.NewStoreWithFallbacks(docker, helm), nil
	case dockerErr == nil:
		return docker, nil
	case helmErr == nil:
		return helm, nil
	}
	return credentials.NewMemoryStore(), nil
}

// registry is the credential of a registry host, as docker names it.
func (k *keys) registry(ctx context.Context, hostPort string) (auth.Credential, error) {
	k.read()
	if k.err != nil {
		return auth.EmptyCredential, k.err
	}
	c, err := k.store.Get(ctx, credentials.ServerAddressFromHostname(hostPort))
	if err != nil {
		return auth.EmptyCredential, &Error{Reason: "the credentials of " + hostPort +
			" cannot be read from the docker configuration", Remedy: "log in to " + hostPort + " again"}
	}
	return c, nil
}

// sign adds basic credentials to requests to a chart repository: those that Helm has for
// exactly this repository, else those of the docker configuration for its host.
func (k *keys) sign(ctx context.Context, repository *url.URL) (func(*http.Request), error) {
	k.read()
	if k.err != nil {
		return nil, k.err
	}
	user, password := "", ""
	for _, e := range k.repos {
		if strings.TrimSuffix(e.URL, "/") == strings.TrimSuffix(repository.String(), "/") {
			user, password = e.Username, e.Password
		}
	}
	if user == "" {
		c, err := k.registry(ctx, repository.Host)
		if err != nil {
			return nil, err
		}
		user, password = c.Username, c.Password
	}
	return func(r *http.Request) {
		if user != "" && sameOrigin(r.URL, repository) {
			r.SetBasicAuth(user, password)
		}
	}, nil
}

// named is the address of a repository that was added to Helm, such as "@stable".
func (k *keys) named(name string) (string, bool) {
	k.read()
	for _, e := range k.repos {
		if e.Name == name {
			return e.URL, e.URL != ""
		}
	}
	return "", false
}
