// Package seed is where chance comes from. One root seed gives any number of
// named streams and of named decisions; adding one more never shifts another,
// and nothing depends on the order in which they are asked for.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
)

// Root is the one seed of a run. It is a value and may be shared freely.
type Root uint64

// Stream returns a new generator whose whole sequence is a pure function of the
// root and the names. The generator belongs to the caller and is not safe for
// concurrent use.
func (r Root) Stream(names ...string) *rand.Rand {
	sum := r.digest(names)
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
}

// Unit returns a number in [0, 1) that is a pure function of the root and the
// names: the same decision wherever and whenever it is taken.
func (r Root) Unit(names ...string) float64 {
	sum := r.digest(names)
	return float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
}

// Hex returns n hexadecimal digits (at most 64) that are a pure function of the
// root and the names.
func (r Root) Hex(n int, names ...string) string {
	sum := r.digest(names)
	return hex.EncodeToString(sum[:])[:n]
}

// digest binds the names by their lengths, so that ("ab", "c") and ("a", "bc")
// differ.
func (r Root) digest(names []string) [sha256.Size]byte {
	buf := make([]byte, 0, 128)
	buf = binary.BigEndian.AppendUint64(buf, uint64(r))
	for _, name := range names {
		buf = binary.AppendUvarint(buf, uint64(len(name)))
		buf = append(buf, name...)
	}
	return sha256.Sum256(buf)
}
