package engine

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/grafana/sobek"

	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
)

// The exports that have a meaning of their own.
const (
	optionsExport  = "options"
	setupExport    = "setup"
	teardownExport = "teardown"
	summaryExport  = "handleSummary"
)

// Program is a loaded script. It can be run any number of times, one run after
// another. Everything else may be called from any goroutine.
type Program struct {
	path    string
	source  []byte
	digest  string
	main    *sobek.SourceTextModuleRecord
	env     map[string]string
	clock   clock.Clock
	seed    seed.Root
	console *console

	goModules map[string]*goModule
	sources   map[string]*source
	names     map[any]string // file of a module record
	booting   sync.Map       // *sobek.Runtime → *VU, while it runs init code

	metrics  *registry
	builtins builtins
	files    files
	shared   sharedArrays

	declared declared
	exports  map[string]json.RawMessage
}

// Path returns the script's path with forward slashes.
func (p *Program) Path() string { return p.path }

// Source returns the script's own text. It must not be changed.
func (p *Program) Source() []byte { return p.source }

// SHA256 returns the hexadecimal digest of the script and every file it
// imports. It does not depend on where the files lie.
func (p *Program) SHA256() string { return p.digest }

// Options returns the options that all sources together make.
func (p *Program) Options() Options { return p.declared.consolidate() }

// Warnings say what stronger sources of options have put aside, a line each.
func (p *Program) Warnings() []string { return p.declared.warnings }

// Export returns the JSON of an exported constant, as JSON.stringify makes it,
// and whether there is such an export. Functions are no constants.
func (p *Program) Export(name string) (json.RawMessage, bool) {
	raw, ok := p.exports[name]
	return raw, ok
}

// RegisterMetric declares a metric and returns it; an earlier declaration of
// the same name, type and meaning gives the same one. The name is up to 128
// letters, digits and underscores; isTime says that values are milliseconds.
// Errors wrap ErrConfig.
func (p *Program) RegisterMetric(name string, t MetricType, isTime bool) (*Metric, error) {
	return p.metrics.register(name, t, isTime)
}

// Validate checks what can be checked only when all metrics are registered:
// the thresholds. Run does it too. Errors wrap ErrConfig.
func (p *Program) Validate() error {
	_, err := p.thresholds()
	return err
}

// thresholds returns the thresholds, checked against the metrics.
func (p *Program) thresholds() ([]Threshold, error) {
	if p.declared.rest.NoThresholds {
		return nil, nil
	}
	list := slices.Clone(p.declared.rest.Thresholds)
	for i := range list {
		if err := list[i].bind(p.metrics); err != nil {
			return nil, p.place(at(err, "thresholds", list[i].Selector))
		}
	}
	return list, nil
}

// resolve finds the module that a file imports. Loading made all of them
// available, so it only reads and may be called from any goroutine.
func (p *Program) resolve(referrer any, specifier string) (sobek.ModuleRecord, error) {
	if m := p.goModules[specifier]; m != nil {
		return m, nil
	}
	if s := p.sources[resolvePath(p.names[referrer], specifier)]; s != nil {
		return s.record, nil
	}
	return nil, configError("module %q was not loaded", specifier)
}

func (p *Program) moduleNames() []string {
	return slices.Sorted(maps.Keys(p.goModules))
}

// columnOffset corrects columns that a source map counts from 0.
func (p *Program) columnOffset(file string) int {
	if s := p.sources[file]; s != nil && s.mapped {
		return 1
	}
	return 0
}

// readExports takes over what the init code exported: the options, the
// constants, and that every function needed is there.
func (p *Program) readExports(vu *VU, o LoadOptions) error {
	p.exports = make(map[string]json.RawMessage)
	for _, name := range exportsOf(p.main) {
		v, ok := vu.export(name)
		if !ok {
			continue
		}
		raw, err := vu.constant(v)
		if err != nil {
			return configError("export %q: %w", name, err)
		}
		if raw != nil {
			p.exports[name] = raw
		}
	}
	var err error
	if p.declared, err = parseOptions(p.exports[optionsExport], o); err != nil {
		return p.place(err)
	}
	return p.checkFunctions(vu)
}

// constant is the JSON of a value; nil for a function and for undefined.
func (vu *VU) constant(v sobek.Value) (json.RawMessage, error) {
	if _, ok := sobek.AssertFunction(v); ok || sobek.IsUndefined(v) {
		return nil, nil
	}
	text, err := vu.stringify(v)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(text), nil
}

func (p *Program) checkFunctions(vu *VU) error {
	for _, s := range p.Options().Scenarios {
		if _, ok := vu.function(s.Exec); !ok {
			err := configError("scenario %q: the script exports no function %q%s", s.Name, s.Exec, suggestion(s.Exec, vu.functions()))
			return p.place(at(err, "scenarios", s.Name, "exec"))
		}
	}
	for _, name := range []string{setupExport, teardownExport, summaryExport} {
		if _, exists := vu.export(name); !exists {
			continue
		}
		if _, ok := vu.function(name); !ok {
			return configError("export %q is not a function", name)
		}
	}
	return nil
}
