package history

// Told is what the caller was told about one operation in the end.
type Told string

// The five things a caller can be told.
const (
	// ToldOK says that the complete successful result arrived.
	ToldOK Told = "ok"
	// ToldToolError says that the tool itself answered with an error.
	ToldToolError Told = "tool_error"
	// ToldNotExecuted says that the operation certainly did not run.
	ToldNotExecuted Told = "not_executed"
	// ToldUnknown says that it may or may not have run.
	ToldUnknown Told = "unknown"
	// ToldNone is no answer at all: a hang, or a run stopped from outside.
	ToldNone Told = "none"
)

// ReplayClass is a property of a server's contract: what a repeat of an
// operation would do.
type ReplayClass string

// The replay classes.
const (
	ReadOnly   ReplayClass = "read-only"  // changes nothing
	Idempotent ReplayClass = "idempotent" // a repeat changes nothing more
	Keyed      ReplayClass = "keyed"      // a sequence key makes a repeat harmless
	Resolvable ReplayClass = "resolvable" // its fate can be settled afterwards
	Unsafe     ReplayClass = "unsafe"     // none of these
)

// ReplaySafe reports whether a repeat of an operation of this class does no
// harm by the server's own contract.
func (c ReplayClass) ReplaySafe() bool {
	return c == ReadOnly || c == Idempotent || c == Keyed
}

// Kind is what an operation wants done.
type Kind string

// The kinds of operation.
const (
	KindConnect Kind = "connect" // open a session
	KindTurn    Kind = "turn"    // take a user turn
	KindTool    Kind = "tool"    // call a tool
	KindClose   Kind = "close"   // close a session

	KindListTools     Kind = "list-tools" // the following change nothing
	KindListResources Kind = "list-resources"
	KindListTemplates Kind = "list-resource-templates"
	KindReadResource  Kind = "read-resource"
	KindListPrompts   Kind = "list-prompts"
	KindGetPrompt     Kind = "get-prompt"
	KindPing          Kind = "ping"
)

// ExchangeRole is the part that one HTTP exchange plays in an attempt.
type ExchangeRole string

// The roles of an exchange.
const (
	RoleInitialize  ExchangeRole = "initialize"
	RoleInitialized ExchangeRole = "initialized"
	RoleCancelled   ExchangeRole = "cancelled"
	RoleCall        ExchangeRole = "call"
	RoleList        ExchangeRole = "list" // of tools, resources or prompts
	RoleRead        ExchangeRole = "read" // a resource or prompt is read, or a ping answered
	RoleGet         ExchangeRole = "get"
	RoleDelete      ExchangeRole = "delete"
	RoleDiscover    ExchangeRole = "discover"
	RoleSettle      ExchangeRole = "settle"
	RoleLookup      ExchangeRole = "lookup"
)

// Outcome is how a rollout ended.
type Outcome string

// The outcomes of a rollout.
const (
	Completed   Outcome = "completed"    // the script's function returned
	Failed      Outcome = "failed"       // an McpError escaped, or rollout.fail
	ScriptError Outcome = "script_error" // any other exception
	Interrupted Outcome = "interrupted"  // it did not end by itself: see CauseStopped and those beside it
)

// The causes of a rollout that was interrupted: what cut it short.
const (
	CauseStopped   = "the run was stopped"
	CauseTestEnded = "the script ended the test"
	CauseTimeOver  = "its scenario's time was over (duration or maxDuration, and gracefulStop)"
)

// FaultState is what became of one planned fault.
type FaultState string

// The states of a fault.
const (
	// FaultDelivered is a receipt: the fault really happened on the wire.
	FaultDelivered FaultState = "delivered"
	// FaultMissed was marked and armed, and could not be delivered; Reason says why.
	FaultMissed FaultState = "missed"
	// FaultUnarmed was marked outside its rule's window.
	FaultUnarmed FaultState = "unarmed"
	// FaultInstalled is the receipt of one of toxiproxy's own toxics on one connection,
	// on which it acts from then on. Of one with a window the reason says which.
	FaultInstalled FaultState = "installed"
)

// EffectKind is a step of an execution as the server itself recorded it.
type EffectKind string

// The kinds of effect.
const (
	EffectBegin  EffectKind = "begin"  // the handler started on an operation
	EffectCommit EffectKind = "commit" // the operation took effect
	EffectAbort  EffectKind = "abort"  // it ended without taking effect
	EffectAnswer EffectKind = "answer" // a result was handed to the transport
	EffectRefuse EffectKind = "refuse" // it was refused before it began
)

// ResultSeen is the kind of answer that the witness saw leave the server.
type ResultSeen string

// The results that a witness can see.
const (
	ResultNone      ResultSeen = "none"       // no complete answer
	ResultOK        ResultSeen = "ok"         // a JSON-RPC result
	ResultToolError ResultSeen = "tool_error" // a result with isError
	ResultRPCError  ResultSeen = "rpc_error"  // a JSON-RPC error
	// ResultAccepted is a 202 to a POST, or a 2xx to a GET or DELETE.
	ResultAccepted ResultSeen = "accepted"
	// ResultOther is any other whole answer without a response of MCP in it, or one
	// that is too large to be read.
	ResultOther ResultSeen = "other"
)
