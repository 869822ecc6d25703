package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// rootsFile is where Go, and OpenSSL, look for the certificate authorities on Debian.
const rootsFile = "etc/ssl/certs/ca-certificates.crt"

// roots are Mozilla's certificate authorities in PEM, as Go's team keeps them in a module: go.sum
// pins them, whatever the machine has. One that Mozilla trusts for some certificates only is left
// out, as PEM cannot say so.
func roots() ([]byte, error) {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		cert, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, fmt.Errorf("root certificate: %w", err)
		}
		fmt.Fprintf(&b, "# %s\n", cert.Subject)
		if err := pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
