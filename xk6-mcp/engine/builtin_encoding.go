package engine

import (
	"encoding/base64"

	"github.com/grafana/sobek"
)

// alphabets are the variants of base64 by the names that scripts use.
var alphabets = map[string]*base64.Encoding{
	"std": base64.StdEncoding, "rawstd": base64.RawStdEncoding,
	"url": base64.URLEncoding, "rawurl": base64.RawURLEncoding,
}

// encodingModule is the built-in module "k6/encoding".
type encodingModule struct{}

// Name implements Module.
func (encodingModule) Name() string { return "k6/encoding" }

// Instantiate implements Module.
func (encodingModule) Instantiate(vu *VU) (map[string]any, error) {
	return map[string]any{"b64encode": vu.encodeBase64, "b64decode": vu.decodeBase64}, nil
}

// encodeBase64 is b64encode(text or ArrayBuffer, variant?).
func (vu *VU) encodeBase64(call sobek.FunctionCall) sobek.Value {
	alphabet := vu.alphabet("b64encode", call.Argument(1))
	return vu.rt.ToValue(alphabet.EncodeToString(bytesOf(call.Argument(0))))
}

// decodeBase64 is b64decode(text, variant?, format?): an ArrayBuffer, or a
// string when the format is "s".
func (vu *VU) decodeBase64(call sobek.FunctionCall) sobek.Value {
	data, err := vu.alphabet("b64decode", call.Argument(1)).DecodeString(call.Argument(0).String())
	if err != nil {
		vu.throwType("b64decode: %s", err)
	}
	if format := call.Argument(2); !sobek.IsUndefined(format) && format.String() == "s" {
		return vu.rt.ToValue(string(data))
	}
	return vu.rt.ToValue(vu.rt.NewArrayBuffer(data))
}

func (vu *VU) alphabet(where string, v sobek.Value) *base64.Encoding {
	if sobek.IsUndefined(v) {
		return base64.StdEncoding
	}
	alphabet := alphabets[v.String()]
	if alphabet == nil {
		vu.throwType("%s: want one of std, rawstd, url, rawurl, got %q", where, v)
	}
	return alphabet
}

// bytesOf is the content of an ArrayBuffer or of anything else as a string.
func bytesOf(v sobek.Value) []byte {
	if buffer, ok := v.Export().(sobek.ArrayBuffer); ok {
		return buffer.Bytes()
	}
	return []byte(v.String())
}
