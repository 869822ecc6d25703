// Package variants renders charts that others install with further values: those of chart-testing where a chart does
// not render or run pods without, and settings that show what of a change the known values hide.
package variants
