//go:build !unix

package doctor

// descriptorLimit is not known.
func descriptorLimit() uint64 { return 0 }
