package check

import "mcpstorm/history"

// mannerStatus is the manner of a fault that answers in the server's place.
const mannerStatus = "status"

// refused reports whether what became of a call certainly means that nothing was
// executed, whatever the client made of it.
func refused(at *history.Attempt) bool {
	if at.Written == 0 {
		return true
	}
	c := at.Cause
	if c == nil {
		return false
	}
	switch c.Class {
	case "dial", "no_byte_written":
		return true
	case "http_status":
		return definiteRefusal(c.Status, at.Told, at.Era) || definiteCode(c.Code, at.Era)
	case "rpc_error":
		return definiteCode(c.Code, at.Era)
	}
	return false
}

// definiteRefusal reports whether an HTTP status certainly means that nothing was
// executed. 404 does where it answers a session id: what the client told of it says
// whether it knew of a session. The stateless era has no sessions, and there a 404
// is definite by its JSON-RPC code alone (-32601).
func definiteRefusal(status int, told history.Told, era string) bool {
	switch status {
	case 400, 401, 403, 405, 406, 413, 415, 421:
		return true
	case 404:
		return told == history.ToldNotExecuted && !stateless(era)
	}
	return false
}

// definiteCode reports the same of a JSON-RPC error code: parse error, invalid
// request, method not found, and those that the stateless era adds.
func definiteCode(code int, era string) bool {
	switch code {
	case -32700, -32600, -32601:
		return true
	case -32020, -32021, -32022:
		return stateless(era)
	}
	return false
}
