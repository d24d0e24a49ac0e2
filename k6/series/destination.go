package series

import (
	"strings"

	"go.k6.io/k6/v2/output"
)

// destination takes whole lines, in their order. What it has taken is the beginning of all that was written, and stays
// that: after an error nothing more is written.
type destination interface {
	write(lines []byte) error
	// close returns once all that was written has arrived, or never will.
	close() error
}

// openDestination makes the file anew, at a path or with a collector, with the header in it.
func openDestination(params output.Params, header []byte) (destination, error) {
	if isURL(params.ConfigArgument) {
		return openCollectorFile(params, header)
	}
	return openLineFile(params.FS, params.ConfigArgument, header)
}

func isURL(argument string) bool {
	return strings.HasPrefix(argument, "http://") || strings.HasPrefix(argument, "https://")
}
