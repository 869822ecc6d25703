// Package reach renders of two sides what a change can reach: a release whose recipe is equal on both is rendered once,
// and only where its objects may concern other releases.
package reach
