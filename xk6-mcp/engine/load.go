package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/grafana/sobek"
	"github.com/grafana/sobek/ast"

	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
)

// LoadOptions are the settings of Load. The zero value is legal.
type LoadOptions struct {
	// Context stops init code that does not end; nil means never.
	Context context.Context
	// Modules are the Go modules that the script may import beside the
	// built-in ones.
	Modules []Module
	// Env is the script's __ENV. The environment of the process is not read.
	Env map[string]string
	// Clock is the script's and the engine's time; nil means the system's.
	Clock clock.Clock
	// Seed is the root of all chance in the script.
	Seed seed.Root
	// Console receives what the script prints as plain text, line by line; nil drops
	// it.
	Console io.Writer
	// Print takes the lines instead, when it is set: never two at a time, from any
	// goroutine.
	Print func(ConsoleLine)
	// Below and Above are sources of options that are weaker and stronger than the
	// script's own, the strongest last.
	Below, Above []Layer
	// Scenarios are the names of those scenarios that are to run; nil means all.
	Scenarios []string
	// Source is the script's text, when it is not to be read from its path.
	Source []byte
	// FS is where the script and its imports are read; nil means the system's
	// files.
	FS fs.FS
}

// Load parses a script and everything it imports, once, and runs its init code
// once to learn what it exports. Imports are relative paths to files, or the
// names of modules. Every error wraps ErrConfig or ErrScript.
func Load(scriptPath string, o LoadOptions) (*Program, error) {
	p := newProgram(scriptPath, o)
	vu := p.newVU(0, nil, nil, nil)
	vu.prepare()
	l := &loader{program: p, vu: vu}
	if err := l.loadMain(o.Source); err != nil {
		return nil, err
	}
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if err := vu.evaluate(ctx); err != nil {
		return nil, err
	}
	if err := p.readExports(vu, o); err != nil {
		return nil, err
	}
	return p, nil
}

// builtinModules are the modules that every script can import.
var builtinModules = []Module{k6Module{}, metricsModule{}, executionModule{}, dataModule{}, timersModule{}, encodingModule{}}

// newProgram makes a program that knows its modules and no source yet.
func newProgram(scriptPath string, o LoadOptions) *Program {
	p := &Program{
		path:      filepath.ToSlash(filepath.Clean(scriptPath)),
		env:       maps.Clone(o.Env),
		clock:     o.Clock,
		seed:      o.Seed,
		console:   newConsole(o),
		goModules: make(map[string]*goModule),
		sources:   make(map[string]*source),
		names:     make(map[any]string),
		files:     files{system: o.FS},
	}
	if p.clock == nil {
		p.clock = clock.System{}
	}
	p.metrics, p.builtins = newRegistry()
	for _, m := range slices.Concat(builtinModules, o.Modules) {
		p.goModules[m.Name()] = &goModule{program: p, module: m}
	}
	return p
}

// loader reads and parses the files of a program.
type loader struct {
	program *Program
	vu      *VU // where Go modules are instantiated to learn their exports
	order   []*source
}

func (l *loader) loadMain(text []byte) error {
	p := l.program
	if text == nil {
		var err error
		if text, err = p.files.read(p.path); err != nil {
			return configError("script: %w", err)
		}
	}
	if err := l.add(p.path, text); err != nil {
		return err
	}
	main := p.sources[p.path]
	p.source, p.main, p.digest = text, main.record, digest(l.order)
	for _, s := range l.order {
		if err := l.checkImports(s); err != nil {
			return err
		}
	}
	return l.link()
}

// link compiles the modules. Sobek reports some errors of the source only here.
func (l *loader) link() (err error) {
	defer l.vu.recoverPanic(&err)
	if err := l.program.main.Link(); err != nil {
		return fmt.Errorf("%w: %w", ErrScript, position(err))
	}
	return nil
}

// add parses a file, and then whatever it imports and is not there yet.
func (l *loader) add(name string, text []byte) error {
	s, err := parse(name, text, l.program.resolve)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrScript, err)
	}
	l.program.sources[name] = s
	l.program.names[s.record] = name
	l.order = append(l.order, s)
	for _, specifier := range s.record.RequestedModules() {
		if err := l.request(s, specifier); err != nil {
			return err
		}
	}
	return nil
}

// request makes what a file imports available.
func (l *loader) request(from *source, specifier string) error {
	if m := l.program.goModules[specifier]; m != nil {
		return l.instantiate(m)
	}
	if !isLocal(specifier) {
		return l.program.refuseModule(specifier, from.locate(specifier))
	}
	name := resolvePath(from.name, specifier)
	if l.program.sources[name] != nil {
		return nil
	}
	text, err := l.program.files.read(name)
	if err != nil {
		advice := suggestion(path.Base(name), l.program.files.neighbours(path.Dir(name)))
		return configError("%s: import: %w%s", from.locate(specifier), err, advice)
	}
	return l.add(name, text)
}

func (l *loader) instantiate(m *goModule) error {
	l.vu.inInit = true
	if _, err := l.vu.instance(m); err != nil {
		return fmt.Errorf("%w: %w", ErrScript, err)
	}
	return nil
}

// checkImports finds imports of names that do not exist. Sobek finds them too,
// later and without a position.
func (l *loader) checkImports(s *source) error {
	for _, declaration := range s.body.ImportEntries {
		if declaration.FromClause == nil {
			continue
		}
		specifier := declaration.FromClause.ModuleSpecifier.String()
		target, err := l.program.resolve(s.record, specifier)
		if err != nil {
			return err
		}
		for _, name := range importedNames(declaration.ImportClause) {
			if binding, ambiguous := target.ResolveExport(name); binding == nil || ambiguous {
				known := exportsOf(target)
				return fmt.Errorf("%w: %s: SyntaxError: %q exports no %q; it exports %s%s",
					ErrScript, s.locate(specifier), specifier, name, strings.Join(known, ", "), suggestion(name, known))
			}
		}
	}
	return nil
}

func importedNames(clause *ast.ImportClause) []string {
	if clause == nil {
		return nil
	}
	var names []string
	if clause.ImportedDefaultBinding != nil {
		names = append(names, defaultExec)
	}
	if clause.NamedImports != nil {
		for _, spec := range clause.NamedImports.ImportsList {
			names = append(names, spec.IdentifierName.String())
		}
	}
	return names
}

func exportsOf(m sobek.ModuleRecord) []string {
	var list []string
	m.GetExportedNames(func(names []string) { list = slices.Clone(names) })
	slices.Sort(list)
	return list
}

func isLocal(specifier string) bool {
	return strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../") || strings.HasPrefix(specifier, "/")
}

func resolvePath(from, specifier string) string {
	if strings.HasPrefix(specifier, "/") {
		return path.Clean(specifier)
	}
	return path.Join(path.Dir(from), specifier)
}

// digest is the SHA-256 of all sources, each bound by its length, in the order
// in which imports reach them.
func digest(order []*source) string {
	h := sha256.New()
	var size [8]byte
	for _, s := range order {
		binary.BigEndian.PutUint64(size[:], uint64(len(s.text)))
		h.Write(size[:])
		h.Write(s.text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
