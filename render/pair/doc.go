// Package pair decides which releases of two sides are one: it names those that GitOps objects declare, follows folders
// that were moved, and drops what another release renders already.
package pair
