package engine

import (
	"errors"
	"fmt"

	"github.com/grafana/sobek/ast"
	"github.com/grafana/sobek/file"
)

// placed is an error about the part of the options that a path of keys names.
type placed struct {
	path []string
	err  error
}

// Error implements error.
func (e *placed) Error() string { return e.err.Error() }

// Unwrap gives the error itself.
func (e *placed) Unwrap() error { return e.err }

// at says where in the options an error is: below these keys.
func at(err error, keys ...string) error {
	if inner, ok := err.(*placed); ok {
		return &placed{append(keys, inner.path...), inner.err}
	}
	return &placed{keys, err}
}

// place puts the file, and the line as far as it can be found, in front of an
// error in the script's own options.
func (p *Program) place(err error) error {
	var elsewhere *sourced
	if errors.As(err, &elsewhere) {
		return err
	}
	var inner *placed
	if !errors.As(err, &inner) {
		return fromSource(p.path, err)
	}
	return fromSource(p.position(optionsExport, inner.path), err)
}

// position is where the script writes the value of a path of keys in the object
// that it exports under a name: file:line:column, or the file alone when the
// object is not written out in the script itself.
func (p *Program) position(export string, path []string) string {
	main := p.sources[p.path]
	if main == nil || main.body == nil {
		return p.path
	}
	var value ast.Expression = declaredValue(main.body, export)
	idx := file.Idx(0)
	for _, key := range path {
		object, ok := value.(*ast.ObjectLiteral)
		if !ok {
			return p.path
		}
		if value, idx = property(object, key); idx == 0 {
			return p.path
		}
	}
	if idx == 0 {
		return p.path
	}
	at := main.body.File.Position(int(idx) - main.body.File.Base())
	return fmt.Sprintf("%s:%d:%d", p.path, at.Line, at.Column+p.columnOffset(p.path))
}

// declaredValue is what a name of the top level is declared as.
func declaredValue(body *ast.Program, name string) ast.Expression {
	for _, statement := range body.Body {
		if export, ok := statement.(*ast.ExportDeclaration); ok && export.LexicalDeclaration != nil {
			statement = export.LexicalDeclaration
		} else if ok && export.Variable != nil {
			statement = export.Variable
		}
		for _, binding := range bindingsOf(statement) {
			if id, ok := binding.Target.(*ast.Identifier); ok && id.Name.String() == name {
				return binding.Initializer
			}
		}
	}
	return nil
}

func bindingsOf(statement ast.Statement) []*ast.Binding {
	switch s := statement.(type) {
	case *ast.LexicalDeclaration:
		return s.List
	case *ast.VariableStatement:
		return s.List
	}
	return nil
}

// property finds a key that an object is written with, and where.
func property(object *ast.ObjectLiteral, key string) (ast.Expression, file.Idx) {
	for _, property := range object.Value {
		switch one := property.(type) {
		case *ast.PropertyKeyed:
			if name, ok := one.Key.(*ast.StringLiteral); ok && !one.Computed && name.Value.String() == key {
				return one.Value, name.Idx
			}
		case *ast.PropertyShort:
			if one.Name.Name.String() == key {
				return nil, one.Name.Idx
			}
		}
	}
	return nil, 0
}
