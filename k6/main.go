// Command k6 is k6 2.2.0 with one more output, `series`, and two more modules: `k6/x/breakwater` (package budget) and
// `k6/x/breakwater/bounds`.
//
// This folder is the pinned k6 build: go.mod and go.sum fix every module, series/, budget/ and bounds/ are the only code of our own.
package main

import (
	"go.k6.io/k6/v2/cmd"

	_ "breakwater/k6/bounds" // registers the module k6/x/breakwater/bounds
	_ "breakwater/k6/budget" // registers the module k6/x/breakwater
	_ "breakwater/k6/series" // registers `--out series=PATH`
)

func main() { cmd.Execute() }
