package community

import "errors"

// The kinds of error that a script can catch. The text of each names the client
// and the method.
var (
	// errInit is a call in init code.
	errInit = errors.New("not in init code: a client can be made there, and used in setup, in an iteration or in teardown")
	// errArgument is a client made, or a call, with an argument that is not what it should be.
	errArgument = errors.New("wrong argument")
	// errRemote is an address that is not on this machine.
	errRemote = errors.New("only loopback addresses are driven")
	// errDeadline is a call without an answer in time.
	errDeadline = errors.New("no answer")
	// errPaging is a server whose list does not end.
	errPaging = errors.New("the list does not end")
)
