package engine

import (
	"fmt"
	"slices"
	"strings"
)

// instead says what to use in place of what k6 has and this package has not.
// A %s stands for the modules that the caller brought.
var instead = map[string]string{
	"k6/http":         "requests go through %s",
	"k6/net/grpc":     "requests go through %s",
	"k6/net/socket":   "requests go through %s",
	"k6/ws":           "requests go through %s",
	"k6/websockets":   "requests go through %s",
	"k6/browser":      "no browser is run here; requests go through %s",
	"k6/html":         "parse text with the script's own regular expressions",
	"k6/crypto":       "import a pure JavaScript file by a relative path",
	"k6/secrets":      "hand values over in __ENV",
	"k6/experimental": "nothing experimental is there",
}

// refuseModule is the refusal of an import that is neither a known module nor
// a path.
func (p *Program) refuseModule(specifier, at string) error {
	known := append(p.moduleNames(), "./relative/path.js")
	thing := fmt.Sprintf("module %q at %s", specifier, at)
	return notSupported(thing, known, p.adviceFor(specifier, known))
}

func (p *Program) adviceFor(specifier string, known []string) string {
	if strings.Contains(specifier, "://") {
		return "; nothing is fetched from the network: save the file beside the script and import it by a relative path"
	}
	name := specifier
	if strings.HasPrefix(specifier, "k6/experimental") {
		name = "k6/experimental"
	}
	if advice, ok := instead[name]; ok {
		return "; " + strings.ReplaceAll(advice, "%s", p.broughtModules())
	}
	if advice := suggestion(specifier, known); advice != "" {
		return advice
	}
	if p.files.exists(resolvePath(p.path, specifier)) {
		return fmt.Sprintf("; did you mean %q?", "./"+specifier)
	}
	return ""
}

// broughtModules names the modules that are not built in.
func (p *Program) broughtModules() string {
	names := slices.DeleteFunc(p.moduleNames(), func(name string) bool {
		return slices.ContainsFunc(builtinModules, func(m Module) bool { return m.Name() == name })
	})
	if len(names) == 0 {
		return "a module of the program that runs the script"
	}
	return strings.Join(names, ", ")
}
