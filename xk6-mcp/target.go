package xk6mcp

import (
	"net/http"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

// Target is where the rollouts of one arm go. Its methods are called from the
// goroutines of all virtual users at once.
type Target interface {
	// Arm is the arm's name.
	Arm() string
	// Base is the monotonic base of the run's records.
	Base() *clock.Base
	// Task names the task of one iteration of a scenario.
	Task(scenario string, iteration int64) string
	// Dial makes a client of one rollout for one server. An empty policy is the
	// arm's own. It opens no connection yet. A server that the storm does not have
	// gives an *UnknownServerError.
	Dial(d Dial) (client.Caller, Server, error)
	// Record takes in what the module records.
	Record() Record
	// Restarts says when a failed rollout is run again.
	Restarts() Restarts
}

// Dial says what a client is for.
type Dial struct {
	Task    string
	Restart int
	Step    string // the step that connects, which names the client's random stream
	Server  string // the server's name in the script
	Policy  string
	// Header is sent with every request, beside what the storm says of the server
	// and above it.
	Header http.Header
	// Deadline bounds each attempt in place of the policy's; zero leaves it.
	Deadline time.Duration
	// Secrets are what the run knows of credentials.
	Secrets *client.Secrets
	// Recorder takes in every exchange.
	Recorder client.Recorder
}

// Server is what the module must know of one server.
type Server struct {
	Name   string
	Policy client.Policy
	// Classes gives the replay class of each tool; a tool that it lacks is unsafe.
	Classes map[string]history.ReplayClass
	Keys    wire.KeyRule
	// NonceArgument is the argument that every result must echo; empty for none.
	NonceArgument string
}

// class is the replay class of a tool.
func (s Server) class(tool string) history.ReplayClass {
	if class, ok := s.Classes[tool]; ok {
		return class
	}
	return history.Unsafe
}

// Record is the part of a history that the module writes.
type Record interface {
	Op(history.Op)
	Attempt(history.Attempt)
	Rollout(history.Rollout)
}
