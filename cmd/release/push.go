package main

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/spf13/cobra"
)

func newPush() *cobra.Command {
	var dist, variant, to string
	cmd := &cobra.Command{
		Use:   "push TAG...",
		Short: "Push an image under tags, with docker's credentials, and print its address by digest",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, tags []string) error {
			repository, err := name.NewRepository(to, name.StrictValidation)
			if err != nil {
				return fmt.Errorf("--to: %w", err)
			}
			idx, err := readLayout(layoutDir(dist, variant))
			if err != nil {
				return err
			}
			options := []remote.Option{remote.WithContext(cmd.Context()), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
			for _, tag := range tags {
				ref, err := name.NewTag(repository.Name()+":"+tag, name.StrictValidation)
				if err != nil {
					return err
				}
				if err := remote.WriteIndex(ref, idx, options...); err != nil {
					return fmt.Errorf("pushing %s: %w", ref, err)
				}
			}
			digest, err := idx.Digest()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), repository.Digest(digest.String()))
			return err
		},
	}
	cmd.Flags().StringVar(&dist, "dist", "dist", "folder of the release")
	cmd.Flags().StringVar(&variant, "variant", "action", "action or cli")
	cmd.Flags().StringVar(&to, "to", "", "repository, such as ghcr.io/kubesettle/kubesettle")
	required(cmd, "to")
	return cmd
}

func newPlatforms() *cobra.Command {
	var dist, variant, to string
	cmd := &cobra.Command{
		Use:   "platforms",
		Short: "Print the architectures of an image, each with the address of its image by digest",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			repository, err := name.NewRepository(to, name.StrictValidation)
			if err != nil {
				return fmt.Errorf("--to: %w", err)
			}
			idx, err := readLayout(layoutDir(dist, variant))
			if err != nil {
				return err
			}
			manifest, err := idx.IndexManifest()
			if err != nil {
				return err
			}
			for _, m := range manifest.Manifests {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), m.Platform.Architecture, repository.Digest(m.Digest.String())); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dist, "dist", "dist", "folder of the release")
	cmd.Flags().StringVar(&variant, "variant", "action", "action or cli")
	cmd.Flags().StringVar(&to, "to", "", "repository, such as ghcr.io/kubesettle/kubesettle")
	required(cmd, "to")
	return cmd
}

// readLayout is the one image of an OCI layout.
func readLayout(dir string) (v1.ImageIndex, error) {
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (make image first)", dir, err)
	}
	manifest, err := outer.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(manifest.Manifests) == 1 && manifest.Manifests[0].MediaType.IsIndex() {
		return outer.ImageIndex(manifest.Manifests[0].Digest)
	}
	return outer, nil
}
