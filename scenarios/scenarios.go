// Package scenarios holds the scenario scripts that come with mcpstorm, one idea
// each, so that the command can run them wherever it stands.
package scenarios

import "embed"

// Files are the scripts, by their file names.
//
//go:embed *.js
var Files embed.FS
