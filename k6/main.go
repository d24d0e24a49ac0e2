// Command k6 is k6 2.2.0 with one more output, `series` (see the package of that name).
//
// This folder is the pinned k6 build: go.mod and go.sum fix every module, series/ is the only code of our own.
package main

import (
	"go.k6.io/k6/v2/cmd"

	_ "breakwater/k6/series" // registers `--out series=PATH`
)

func main() { cmd.Execute() }
