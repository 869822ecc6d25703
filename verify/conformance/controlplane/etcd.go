//go:build replay

package main

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
)

// etcdCommand is a single etcd member that keeps nothing it could lose: it does not
// wait for the disk.
func etcdCommand() *cobra.Command {
	var dir, client, peer string
	cmd := &cobra.Command{
		Use:           "etcd",
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(*cobra.Command, []string) error {
			cfg := embed.NewConfig()
			cfg.Dir, cfg.LogLevel, cfg.UnsafeNoFsync = dir, "error", true
			for _, set := range []struct {
				from string
				to   []*[]url.URL
			}{
				{client, []*[]url.URL{&cfg.ListenClientUrls, &cfg.AdvertiseClientUrls}},
				{peer, []*[]url.URL{&cfg.ListenPeerUrls, &cfg.AdvertisePeerUrls}},
			} {
				u, err := url.Parse(set.from)
				if err != nil {
					return fmt.Errorf("address %q: %w", set.from, err)
				}
				for _, to := range set.to {
					*to = []url.URL{*u}
				}
			}
			cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
			e, err := embed.StartEtcd(cfg)
			if err != nil {
				return fmt.Errorf("start etcd: %w", err)
			}
			defer e.Close()
			stop := make(chan os.Signal, 1)
			signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
			select {
			case <-stop:
				return nil
			case err := <-e.Err():
				return fmt.Errorf("etcd: %w", err)
			}
		},
	}
	cmd.Flags().StringVar(&dir, "data-dir", "", "directory of its data")
	cmd.Flags().StringVar(&client, "client-url", "", "address that the API server asks")
	cmd.Flags().StringVar(&peer, "peer-url", "", "address of the member")
	return cmd
}
