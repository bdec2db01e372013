// Package all lists the reference servers.
package all

import (
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/usersim"
)

// Servers are all reference servers. The list belongs to the caller.
func Servers() refserver.Catalog {
	return refserver.Catalog{usersim.Kind()}
}
