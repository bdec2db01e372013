package run

import "context"

// ScriptDigest is the SHA-256 of a script and all that it imports, as the manifest of a run
// with these options has it. An error is an *Error, with the exit code that Run would have
// had.
func ScriptDigest(ctx context.Context, o Options) (string, error) {
	r := newRun(o)
	if err := r.loadProgram(ctx); err != nil {
		return "", err
	}
	return r.program.SHA256(), nil
}
