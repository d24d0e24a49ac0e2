package series

import (
	"bytes"
	"io"
)

// lineFile is a file that ends with a whole line, whatever becomes of the disk. Nothing is buffered on this side of the
// operating system, so a killed process loses none of what was written.
type lineFile struct {
	handle interface {
		io.WriteCloser
		Truncate(size int64) error
	}
	size int64
}

// write appends whole lines. After an error it has cut off the piece of a line that a full disk leaves behind, and must
// not be called again.
func (f *lineFile) write(lines []byte) error {
	written, err := f.handle.Write(lines)
	if err != nil {
		whole := bytes.LastIndexByte(lines[:written], '\n') + 1
		_ = f.handle.Truncate(f.size + int64(whole)) // the disk's first error says enough
		return err
	}
	f.size += int64(written)
	return nil
}
