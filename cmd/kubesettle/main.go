// Command kubesettle says whether a cluster will settle after a change.
package main

func main() {}
