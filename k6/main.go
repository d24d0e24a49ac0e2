// Command k6 is k6 2.2.0 with the executor `breakwater-arrivals`, two additional outputs, `series` and `history`, three
// additional modules, `k6/x/breakwater` (package budget), `k6/x/breakwater/bounds` and `k6/x/breakwater/history`, and a
// `k6/http` with limits.
//
// This folder is the pinned k6 build: go.mod and go.sum pin every module, and arrivals/, series/, budget/, bounds/,
// tracing/ and history/ are Breakwater's own code.
package main

import (
	"go.k6.io/k6/v2/cmd"

	_ "breakwater/k6/arrivals" // executor breakwater-arrivals
	_ "breakwater/k6/bounds"   // modules k6/http and k6/x/breakwater/bounds
	_ "breakwater/k6/budget"   // module k6/x/breakwater
	_ "breakwater/k6/history"  // output `--out history=PATH`, module k6/x/breakwater/history
	_ "breakwater/k6/series"   // output `--out series=PATH`
)

func main() { cmd.Execute() }
