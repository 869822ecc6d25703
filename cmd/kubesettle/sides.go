package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// sides says where base and head are read from.
type sides struct {
	repo, base, head string
	baseDir, headDir string
	mergeBase        bool
	staged           bool
	workTree         bool
}

func (s *sides) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.repo, "repo", ".", "git repository; read from its objects, the work tree is never touched")
	f.StringVar(&s.base, "base", "",
		"revision before the change (default: the default branch of origin, as the clone has it)")
	f.StringVar(&s.head, "head", "HEAD", "revision after the change")
	f.BoolVar(&s.mergeBase, "merge-base", true,
		"compare with the merge base of --base and --head, as a pull request does; false: with --base itself")
	f.BoolVar(&s.staged, "staged", false,
		"compare HEAD with the index: what 'git commit' would record; for a pre-commit hook")
	f.BoolVar(&s.workTree, "worktree", false,
		"compare HEAD with the files on disk, before they are added or committed; without those that git ignores")
	f.StringVar(&s.baseDir, "base-dir", "", "directory before the change, instead of --base")
	f.StringVar(&s.headDir, "head-dir", "", "directory after the change, instead of --head")
}

// trees opens both sides; notices say what was chosen in the user's place.
func (s *sides) trees(p *process, cmd *cobra.Command) (base, head tree.Tree, notices []finding.Note, err error) {
	dirs := s.baseDir != "" || s.headDir != ""
	switch {
	case s.workTree && (s.staged || dirs || cmd.Flags().Changed("base") || cmd.Flags().Changed("head")):
		return nil, nil, nil, usage("--worktree compares HEAD with the files on disk: omit --staged, --base, --head, --base-dir and --head-dir")
	case s.workTree:
		base, head, err = s.fromHEAD("--worktree", func() (tree.Tree, error) { return tree.WorkTree(s.repo) })
		return base, head, nil, err
	case s.staged && (dirs || cmd.Flags().Changed("base") || cmd.Flags().Changed("head")):
		return nil, nil, nil, usage("--staged compares HEAD with the index: omit --base, --head, --base-dir and --head-dir")
	case s.staged:
		index := func() (tree.Tree, error) { return tree.Index(s.repo, p.getenv("GIT_INDEX_FILE")) }
		base, head, err = s.fromHEAD("--staged", index)
		return base, head, nil, err
	case dirs && (s.baseDir == "" || s.headDir == ""):
		return nil, nil, nil, usage("--base-dir and --head-dir go together")
	case dirs && (cmd.Flags().Changed("base") || cmd.Flags().Changed("head") || cmd.Flags().Changed("repo")):
		return nil, nil, nil, usage("give either --base-dir and --head-dir, or --repo, --base and --head")
	case dirs:
		if base, err = dirTree(s.baseDir); err != nil {
			return nil, nil, nil, err
		}
		head, err = dirTree(s.headDir)
		return base, head, nil, err
	case s.base == "" && !isRepository(s.repo):
		return nil, nil, nil, usage("%s is not in a git repository, so there is no change to compare: check the files as they are with kubesettle verify %s, or two directories with kubesettle check --base-dir OLD --head-dir NEW", s.repo, s.repo)
	case s.base == "" && cmd.Flags().Changed("base"): // by a variable that is not set
		return nil, nil, nil, usage("--base is empty: give the revision before the change, or leave it out")
	}
	repo, err := tree.OpenRepository(s.repo)
	if err != nil {
		return nil, nil, nil, analysis(fmt.Errorf("--repo: %w", err))
	}
	if s.base == "" {
		if notices, err = s.leftOut(repo); err != nil {
			return nil, nil, nil, err
		}
	}
	if base, err = repo.Tree(s.base); err != nil {
		return nil, nil, nil, analysis(fmt.Errorf("--base: %w", err))
	}
	if head, err = repo.Tree(s.head); err != nil {
		return nil, nil, nil, analysis(fmt.Errorf("--head: %w", err))
	}
	if !s.mergeBase {
		return base, head, notices, nil
	}
	base, head, moved, err := s.forked(repo, base, head)
	return base, head, append(notices, moved...), err
}

// leftOut chooses a base where none was given: the branch that head would be merged into, as long as head has a commit
// that it lacks. A change that is not there is no change that passes.
func (s *sides) leftOut(repo *tree.Repository) (notices []finding.Note, err error) {
	const ways = "give the revision before the change, such as --base HEAD~1 or --base origin/main; or check uncommitted edits with --worktree, or with --staged those that git commit would record"
	branch := repo.DefaultBranch()
	if _, err := repo.Tree("HEAD"); err != nil && branch == "" {
		return nil, usage("nothing is committed in %s yet, so there is no base: check the files on disk with kubesettle verify %s",
			s.repo, s.repo)
	}
	if branch == "" {
		return nil, usage("--base is missing, and there is no default branch to compare with: %s", ways)
	}
	if at, err := repo.MergeBase(branch, s.head); err == nil {
		if head, err := repo.Tree(s.head); err == nil && head.Commit() == at {
			return nil, usage("there is no change to check, as %s has no commit that %s lacks: %s", s.head, branch, ways)
		}
	}
	s.base = branch
	return []finding.Note{finding.Say(finding.BaseChosen, branch)}, nil
}

func isRepository(dir string) bool {
	_, err := tree.OpenRepository(dir)
	return err == nil
}

// fromHEAD opens HEAD, and what is to be committed after it.
func (s *sides) fromHEAD(flag string, next func() (tree.Tree, error)) (base, head tree.Tree, err error) {
	base, err = tree.Git(s.repo, "HEAD")
	if errors.Is(err, tree.ErrNoRevision) {
		return nil, nil, usage("%s: there is no commit to compare with: check the first one by itself, with kubesettle verify PATH, and commit it with git commit --no-verify", flag)
	}
	if err == nil {
		head, err = next()
	}
	if errors.Is(err, tree.ErrNoIndex) {
		return nil, nil, usage("%s: %w", flag, err)
	}
	if err != nil {
		return nil, nil, analysis(fmt.Errorf("%s: %w", flag, err))
	}
	return base, head, nil
}

// forked moves base back to where head left it, where it has moved on since.
func (s *sides) forked(repo *tree.Repository, base, head tree.Tree) (tree.Tree, tree.Tree, []finding.Note, error) {
	at, err := repo.MergeBase(s.base, s.head)
	switch {
	case err != nil: // a shallow clone that holds both, or histories that never met
		return base, head, []finding.Note{finding.Say(finding.NoAncestor, s.base, s.head)}, nil
	case at == base.Commit():
		return base, head, nil, nil
	}
	moved := finding.Say(finding.BaseMoved, s.base, s.head, fmt.Sprintf("%.12s", at))
	base, err = repo.Tree(at)
	return base, head, []finding.Note{moved}, analysis(err)
}

// dirTree is [render.DirTree] with a wrong path as an error of usage.
func dirTree(dir string) (tree.Tree, error) {
	t, err := tree.Dir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("directory %s does not exist", dir)
	}
	return t, analysis(err)
}

// oneTree opens the tree that holds all paths, see [rootOf]: a kustomization may lie
// beside its base. It gives the paths relative to the tree; "-" is standard input and stands alone.
func oneTree(p *process, paths []string) (t tree.Tree, rel []string, err error) {
	if len(paths) == 1 && paths[0] == "-" {
		t, err = tree.Stdin(p.stdin)
		return t, nil, analysis(err)
	}
	root := ""
	for _, given := range paths {
		if given == "-" {
			return nil, nil, usage("'-' is standard input and stands alone")
		}
		abs, err := filepath.Abs(given)
		if err != nil {
			return nil, nil, analysis(err)
		}
		info, err := os.Stat(abs)
		if err != nil {
			return nil, nil, usage("%s: no such file or directory", given)
		}
		around := rootOf(abs, info.IsDir())
		if root == "" {
			root = around
		}
		if around != root {
			return nil, nil, usage("%s and %s are not of one repository: verify them one by one", paths[0], given)
		}
		r, err := filepath.Rel(root, abs)
		if err != nil {
			return nil, nil, analysis(err)
		}
		rel = append(rel, filepath.ToSlash(r))
	}
	t, err = dirTree(root)
	return t, rel, err
}

// rootOf finds what a path belongs to: the repository around it, else the folder with a
// policy around it, else the working directory, else the path itself.
func rootOf(abs string, dir bool) string {
	for _, mark := range []string{".git", policyFile} {
		for at := abs; ; at = filepath.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, mark)); err == nil {
				return at
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	if wd, err := os.Getwd(); err == nil && (abs == wd || strings.HasPrefix(abs, wd+string(filepath.Separator))) {
		return wd
	}
	if dir {
		return abs
	}
	return filepath.Dir(abs)
}

// rendering holds the flags that choose what to render, and how.
type rendering struct {
	offline        bool
	untrusted      bool     // the change is a fork's
	allowHosts     []string // that may be asked; empty: every public one
	registryConfig string
	cacheDir       string
	kubeVersion    string
	apiVersions    []string // beside those of the version
	paths          []string
	workers        int
}

func (r *rendering) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&r.offline, "offline", false, "fetch nothing: no charts, dependencies or remote bases")
	f.StringArrayVar(&r.allowHosts, "allow-host", nil, "host to fetch from, with this machine's credentials for it: HOST, HOST:PORT, *.DOMAIN, or http://HOST; repeatable (default: every public host by https, without credentials)")
	f.StringVar(&r.registryConfig, "registry-config", "",
		"docker configuration with the credentials of registries and chart repositories (default: docker's own, then Helm's)")
	f.StringVar(&r.cacheDir, "cache-dir", "", "folder that keeps fetched files, rendered manifests and searches; also read with --offline (without it, fetched files are kept in the user's cache folder)")
	f.StringVar(&r.kubeVersion, "kube-version", "", "Kubernetes version that charts render for (default: cluster.version of the policy, or its snapshot's, else "+kubernetesVersion+")")
	f.StringArrayVar(&r.apiVersions, "api-version", nil,
		"additional API version for charts, such as monitoring.coreos.com/v1/ServiceMonitor; repeatable")
	f.IntVar(&r.workers, "workers", 0, "parallel workers; 0: one per processor")
}

// options are those of [render.Render], with the releases and the version of Kubernetes that a policy
// declares.
func (r *rendering) options(p *process, policy *policies.Policy) (render.Options, error) {
	if r.workers < 0 {
		return render.Options{}, usage("--workers is %d: give 0 or more", r.workers)
	}
	if r.kubeVersion != "" && !policies.ValidKubeVersion(r.kubeVersion) {
		return render.Options{}, usage("--kube-version is %q: give a version such as 1.36", r.kubeVersion)
	}
	fetcher, err := r.fetcher()
	if err != nil {
		return render.Options{}, err
	}
	var paths []string
	for _, given := range r.paths {
		clean := path.Clean(filepath.ToSlash(given))
		if !fs.ValidPath(clean) {
			return render.Options{}, usage("path %s leaves the repository: give it relative to its root", given)
		}
		paths = append(paths, clean)
	}
	return render.Options{
		Releases: declared(policy), Paths: paths,
		KubeVersion: cmp.Or(r.kubeVersion, policy.Cluster.KubeVersion(), kubernetesVersion), APIVersions: r.apiVersions,
		Fetcher: fetcher, Workers: r.workers, Outputs: r.outputs(),
		Sandbox: worker.Sandbox{Command: p.worker}, Concerns: slice.Concerns(), Leftovers: run.Leftovers(),
		Acting: slice.ActingKinds(policy), Referred: run.Referred(),
	}, nil
}

// disconnect takes the network away, whatever the flags say: the change is a fork's.
func (r *rendering) disconnect() { r.offline, r.untrusted = true, true }

// outputs are rendered by earlier runs, in a folder that was named: they may hold Secrets, which would be unexpected in
// the user's cache folder. A fork's change neither reads nor writes them.
func (r *rendering) outputs() *worker.Outputs {
	if r.cacheDir != "" && !r.untrusted {
		go programContent() // beside the first files
		return worker.NewOutputs(r.cacheDir, programContent)
	}
	return nil
}

// verdicts are answers of earlier runs' searches, in a folder that was named. A fork's change only reads them: it must
// not write the answers that judge it later.
func (r *rendering) verdicts() *memo.Store {
	if r.cacheDir == "" {
		return nil
	}
	go programContent() // beside the first files
	return memo.Open(filepath.Join(r.cacheDir, "verdicts"), programContent, !r.untrusted)
}

// cacheFolder is where things are kept between runs, or "".
func (r *rendering) cacheFolder() string {
	if r.cacheDir != "" || r.offline {
		return r.cacheDir
	}
	own, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(own, "kubesettle")
}

// fetcher brings charts and bases of other hosts; nil where neither the network nor a
// cache may be used. The cache is read offline where its folder was named: what lies in
// the user's own one would make a result depend on the machine.
func (r *rendering) fetcher() (*fetch.Fetcher, error) {
	network := !r.offline
	dir := r.cacheFolder()
	if dir == "" && !network {
		return nil, nil
	}
	f, err := fetch.New(fetch.Options{
		Network: network, Hosts: r.allowHosts, RegistryConfig: r.registryConfig, CacheDir: dir,
		HelmRepositories: os.Getenv("HELM_REPOSITORY_CONFIG"), HelmRegistry: os.Getenv("HELM_REGISTRY_CONFIG"),
	})
	if err != nil {
		return nil, usage("--allow-host: %w", err)
	}
	return f, nil
}

// renderBoth renders two trees and compares them; rendered is called in between.
func renderBoth(ctx context.Context, base, head tree.Tree, opt render.Options,
	rendered func()) (*object.Changes, error) {
	b, h, err := render.RenderBoth(ctx, base, head, opt)
	if err != nil {
		return nil, analysis(err)
	}
	rendered()
	ch, err := render.Diff(b, h)
	return ch, analysis(err)
}
