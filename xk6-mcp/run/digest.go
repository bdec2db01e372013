package run

import (
	"crypto/sha256"
	"encoding/hex"
)

// ScriptDigest is the SHA-256 of a script as a manifest has it. Like Run it finds
// scripts that come with mcpstorm by their names.
func ScriptDigest(script string) (string, error) {
	source, err := readScript(script)
	if err != nil {
		return "", &Error{ExitOptions, err}
	}
	sum := sha256.Sum256(source)
	return hex.EncodeToString(sum[:]), nil
}
