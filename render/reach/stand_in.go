package reach

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
)

// StandIn adds what kustomizations list that are refused on both sides alike, and that the change reaches, unless
// another release renders it: nothing applies what these make of it, before or after, and what the change does to it
// shows in it as it stands. What does not render on either side either stands for nothing.
func StandIn(ctx context.Context, base, head *side.Side) error {
	var added []release.Release
	for i := 0; i < len(head.Releases); i++ {
		k, both := base.ByID[head.Releases[i].ID]
		if !both || !refusedAlike(base.Place(k), head.Place(i)) || side.Same(base.Place(k), head.Place(i)) {
			continue
		}
		list := listedBy(base, head, i)
		added = append(added, list...)
		for _, s := range []*side.Side{base, head} {
			from := len(s.Releases)
			if err := s.Gather(ctx, list, nil); err != nil {
				return err
			}
			if err := s.CompleteFrom(ctx, from); err != nil {
				return err
			}
		}
	}
	for _, r := range added {
		k, i := base.ByID[r.ID], head.ByID[r.ID]
		if base.Outputs[k].Err != nil && head.Outputs[i].Err != nil {
			base.Drop(k)
			head.Drop(i)
		}
	}
	return nil
}

// refusedAlike reports whether a kustomization that is all here fails on two sides for the same reason.
func refusedAlike(b, h side.Place) bool {
	f, g := b.Side.Outputs[b.At].Err, h.Side.Outputs[h.At].Err
	return h.Side.Releases[h.At].Kind == object.Kustomize && f != nil && g != nil && f.Reason == g.Reason &&
		(!g.Skipped || g.Missing) && !g.Cut
}

// listedBy are the folders and the manifests of both sides, as releases, that a kustomization of one lists and that no
// other release renders on either.
func listedBy(other, s *side.Side, i int) []release.Release {
	root := s.Releases[i]
	file := kustomize.FileOf(s.Src, root.Path)
	k, f := kustomize.Read(s.Src, file)
	if file == "" || f != nil {
		return nil
	}
	rendered := func(p string) bool {
		return slices.ContainsFunc([]*side.Side{other, s}, func(s *side.Side) bool {
			return slices.ContainsFunc(s.Recipes, func(j *release.Recipe) bool {
				if j == nil {
					return false
				}
				n, there := s.ByID[j.Release.ID]
				_, reads := j.Files[p]
				return there && reads && s.Outputs[n].Err == nil
			})
		})
	}
	why := "listed by " + root.ID + ", which is refused on both sides alike"
	var out []release.Release
	alone := release.Release{Release: object.Release{ID: path.Join(root.Path, path.Base(file)), Kind: object.Manifests,
		Path: root.Path, Selected: "manifests " + why}}
	for _, ref := range slices.Concat(k.Resources, k.Components) {
		p, in := source.Inside(root.Path, ref)
		switch {
		case !in || strings.Contains(ref, "://"):
		case s.Src.HasFile(p) && other.Src.HasFile(p) && !rendered(p):
			alone.Files = append(alone.Files, p)
		case s.Src.HasDir(p):
			p = s.Src.Real(p)
			own := kustomize.FileOf(s.Src, p)
			_, there := s.ByID[p]
			_, was := other.ByID[p]
			if own != "" && kustomize.FileOf(other.Src, p) != "" && !there && !was && !rendered(own) {
				out = append(out, release.Release{Release: object.Release{ID: p, Kind: object.Kustomize, Path: p,
					Selected: "a kustomization " + why}})
			}
		}
	}
	if _, there := s.ByID[alone.ID]; len(alone.Files) > 0 && !there {
		out = append(out, alone)
	}
	return out
}
