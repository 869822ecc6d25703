// Package reach renders the releases of two sides that a change can reach: one whose recipe is equal on both is
// rendered once, and only if its objects may concern other releases.
package reach
