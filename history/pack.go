package history

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// packFile compresses a file that is larger than the bound and removes the
// plain one. A missing file, or one that is no regular file, is left alone.
func packFile(path string, above int64) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() <= above {
		return nil
	}
	if err := compress(path, path+packedSuffix); err != nil {
		return fmt.Errorf("history: compressing %s: %w", path, errors.Join(err, os.Remove(path+packedSuffix)))
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("history: removing the plain %s: %w", path, err)
	}
	return nil
}

func compress(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	packer, err := zstd.NewWriter(out)
	if err != nil {
		return err
	}
	if _, err := io.Copy(packer, in); err != nil {
		return errors.Join(err, packer.Close())
	}
	return packer.Close()
}

// openLines opens a file of the history, packed or plain. The caller closes it.
func openLines(path string) (io.ReadCloser, error) {
	plain, err := openRegular(path)
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		return plain, err
	}
	packed, err := openRegular(path + packedSuffix)
	if err != nil {
		return nil, err
	}
	unpacker, err := unpack(packed)
	if err != nil {
		return nil, errors.Join(err, packed.Close())
	}
	return &packedReader{unpacker, packed}, nil
}

// maxWindow is as far back as a packed file may refer, in bytes: what its reader keeps in
// memory. A corrupt one may ask for any number.
const maxWindow = 128 << 20

func unpack(packed io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(packed, zstd.WithDecoderMaxWindow(maxWindow))
}

type packedReader struct {
	*zstd.Decoder
	file *os.File
}

// Close implements io.Closer.
func (p *packedReader) Close() error {
	p.Decoder.Close()
	return p.file.Close()
}
