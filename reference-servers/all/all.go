// Package all lists the reference servers.
package all

import (
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/ledger"
	"mcpstorm/reference-servers/usersim"
	"mcpstorm/reference-servers/wiki"
)

// Servers are all reference servers. The list belongs to the caller.
func Servers() refserver.Catalog {
	return refserver.Catalog{usersim.Kind(), ledger.Kind(), wiki.Kind()}
}
