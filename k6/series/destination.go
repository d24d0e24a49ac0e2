package series

import (
	"strings"

	"go.k6.io/k6/v2/output"
)

// destination takes whole lines in order. It always holds a prefix of what was written: after an error
// nothing more is written.
type destination interface {
	write(lines []byte) error
	// close returns after all written lines have arrived, or have failed permanently.
	close() error
}

// openDestination creates or truncates the file, local or at a collector, and writes the header.
func openDestination(params output.Params, header []byte) (destination, error) {
	if isURL(params.ConfigArgument) {
		return openCollectorFile(params, header)
	}
	return openLineFile(params.FS, params.ConfigArgument, header)
}

func isURL(argument string) bool {
	return strings.HasPrefix(argument, "http://") || strings.HasPrefix(argument, "https://")
}
