//go:build !race

package main

const raceDetector = false

const quicker = 1
