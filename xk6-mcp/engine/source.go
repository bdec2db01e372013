package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/grafana/sobek"
	"github.com/grafana/sobek/ast"
	"github.com/grafana/sobek/parser"
)

// source is one parsed file.
type source struct {
	name   string // path with forward slashes, as it appears in positions
	text   []byte
	body   *ast.Program
	record *sobek.SourceTextModuleRecord
	mapped bool // transpiled: the source map counts columns from 0
}

// parse parses a file. Sobek goes first, because its positions are exact.
// TypeScript, and syntax that Sobek does not know, go through esbuild; the
// types are dropped, not checked.
func parse(name string, text []byte, resolve sobek.HostResolveImportedModuleFunc) (*source, error) {
	s := &source{name: name, text: text}
	switch path.Ext(name) {
	case ".json":
		return s, s.parseJSON(resolve)
	case ".ts", ".mts":
		return s, s.transpile(api.LoaderTS, resolve)
	}
	err := s.parseScript(string(text), resolve, parser.WithDisableSourceMaps)
	if err == nil {
		return s, nil
	}
	return s, s.transpile(api.LoaderJS, resolve)
}

// parseScript parses JavaScript. Some valid exports make Sobek panic.
func (s *source) parseScript(text string, resolve sobek.HostResolveImportedModuleFunc, opts ...parser.Option) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%s: %v", s.name, x)
		}
	}()
	s.body, err = parser.ParseFile(nil, s.name, text, 0, append(opts, parser.IsModule)...)
	if err != nil {
		return position(err)
	}
	s.record, err = sobek.ModuleFromAST(s.body, resolve)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// parseJSON makes a module whose default export is the file's value.
func (s *source) parseJSON(resolve sobek.HostResolveImportedModuleFunc) error {
	var v any
	if err := json.Unmarshal(s.text, &v); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return s.parseScript("export default "+string(s.text), resolve, parser.WithDisableSourceMaps)
}

// transpile rewrites newer syntax and TypeScript to what Sobek knows.
func (s *source) transpile(loader api.Loader, resolve sobek.HostResolveImportedModuleFunc) error {
	result := api.Transform(string(s.text), api.TransformOptions{
		Loader:     loader,
		Format:     api.FormatESModule,
		Target:     api.ESNext,
		Sourcefile: path.Base(s.name),
		Sourcemap:  api.SourceMapExternal,
		Supported: map[string]bool{
			"for-await":                       false,
			"async-generator":                 false,
			"import-attributes":               false,
			"using":                           false,
			"regexp-named-capture-groups":     false,
			"regexp-unicode-property-escapes": false,
			"regexp-set-notation":             false,
		},
	})
	if len(result.Errors) > 0 {
		return message(s.name, result.Errors[0])
	}
	s.mapped = true
	load := func(string) ([]byte, error) { return result.Map, nil }
	code := string(result.Code) + "\n//# sourceMappingURL=" + path.Base(s.name) + ".map\n"
	return s.parseScript(code, resolve, parser.WithSourceMapLoader(load))
}

// message is the first of esbuild's complaints, with its position.
func message(name string, m api.Message) error {
	if m.Location == nil {
		return fmt.Errorf("%s: SyntaxError: %s", name, m.Text)
	}
	return fmt.Errorf("%s:%d:%d: SyntaxError: %s", name, m.Location.Line, m.Location.Column+1, m.Text)
}

// position gives a syntax error of Sobek the form file:line:column: text.
func position(err error) error {
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return fmt.Errorf("%s: SyntaxError: %s", list[0].Position, list[0].Message)
	}
	var compile *sobek.CompilerSyntaxError
	if errors.As(err, &compile) && compile.File != nil {
		return fmt.Errorf("%s: SyntaxError: %s", compile.File.Position(compile.Offset), compile.Message)
	}
	return err
}

// locate finds where a file names another module: file:line:column. The parser
// does not keep the position.
func (s *source) locate(specifier string) string {
	for i, line := range strings.Split(string(s.text), "\n") {
		for _, quote := range []string{"'", `"`} {
			at := strings.Index(line, quote+specifier+quote)
			if at >= 0 && strings.Contains(line, "from") || at >= 0 && strings.Contains(line, "import") {
				return fmt.Sprintf("%s:%d:%d", s.name, i+1, at+1)
			}
		}
	}
	return s.name
}
