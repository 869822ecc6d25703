//go:build !linux

package main

// systemLimits exist on Linux only.
func systemLimits() []uint64 { return nil }
