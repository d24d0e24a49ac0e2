package series

import (
	"bytes"
	"io"
	"strings"

	"go.k6.io/k6/v2/lib/fsext"
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

// lineFile always ends with a whole line, even on a full disk. It is not buffered in this process, so a
// killed process loses no written lines.
type lineFile struct {
	handle interface {
		io.WriteCloser
		Truncate(size int64) error
	}
	size int64
}

func openLineFile(files fsext.Fs, path string, header []byte) (*lineFile, error) {
	handle, err := files.Create(path)
	if err != nil {
		return nil, err
	}
	file := &lineFile{handle: handle}
	if err := file.write(header); err != nil {
		_ = handle.Close()
		return nil, err
	}
	return file, nil
}

// write appends whole lines. On an error it truncates a partial line, and must not be called again.
func (f *lineFile) write(lines []byte) error {
	written, err := f.handle.Write(lines)
	if err != nil {
		whole := bytes.LastIndexByte(lines[:written], '\n') + 1
		_ = f.handle.Truncate(f.size + int64(whole)) // the first error is returned
		return err
	}
	f.size += int64(written)
	return nil
}

func (f *lineFile) close() error { return f.handle.Close() }
