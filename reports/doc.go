// Package reports shows what was judged. It reads a verdict and the history that
// it was derived from, decides nothing, and knows nothing of how a run was made.
// Nothing here is safe for concurrent use of one writer; everything else is a
// pure function.
package reports
