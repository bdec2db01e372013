package engine

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/grafana/sobek"
)

// files reads what a program needs from disk. Data files are read once,
// however many VUs open them. It may be used from any goroutine.
type files struct {
	system fs.FS // nil for the system's files

	mu   sync.Mutex
	data map[string][]byte
}

func (f *files) read(name string) ([]byte, error) {
	if f.system != nil {
		return fs.ReadFile(f.system, name)
	}
	return os.ReadFile(filepath.FromSlash(name))
}

func (f *files) exists(name string) bool {
	_, err := f.read(name)
	return err == nil
}

// neighbours are the names of the files in a folder.
func (f *files) neighbours(folder string) (names []string) {
	var entries []fs.DirEntry
	if f.system != nil {
		entries, _ = fs.ReadDir(f.system, folder) // a folder that is not there has no names
	} else {
		entries, _ = os.ReadDir(filepath.FromSlash(folder))
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// open reads a data file. The result must not be changed.
func (f *files) open(name string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if data, ok := f.data[name]; ok {
		return data, nil
	}
	data, err := f.read(name)
	if err != nil {
		return nil, err
	}
	if f.data == nil {
		f.data = make(map[string][]byte)
	}
	f.data[name] = data
	return data, nil
}

// open is open(path, mode?): the content of a file as a string, or as an
// ArrayBuffer when the mode is "b". The path is relative to the file that
// calls it.
func (vu *VU) open(call sobek.FunctionCall) sobek.Value {
	if !vu.inInit {
		vu.throwType("open: files can be read in init code only")
	}
	mode := call.Argument(1)
	if !sobek.IsUndefined(mode) && mode.String() != "b" {
		vu.throwType("open: want no mode or \"b\", got %q", mode)
	}
	name := resolvePath(vu.callingFile(), call.Argument(0).String())
	data, err := vu.program.files.open(name)
	if err != nil {
		vu.Throw(err, "", nil)
	}
	if sobek.IsUndefined(mode) {
		return vu.rt.ToValue(string(data))
	}
	return vu.rt.ToValue(vu.rt.NewArrayBuffer(slices.Clone(data)))
}

// callingFile is the script file from which a native was called.
func (vu *VU) callingFile() string {
	for _, frame := range vu.rt.CaptureCallStack(0, nil) {
		if name := frame.Position().Filename; vu.program.sources[name] != nil {
			return name
		}
	}
	return vu.program.path
}
