// Package scenarios holds the scenario scripts that come with mcpstorm, one idea
// each, so that the command can run them wherever it stands. Those in museum
// provoke one failure mode each.
package scenarios

import "embed"

// Files are the scripts, by their file names.
//
//go:embed *.js museum/*.js
var Files embed.FS
