package plan

import (
	"fmt"
	"slices"
	"time"
)

// Detail is what a manner says beside its name. The zero value is the default
// of every manner but status, which needs a code, and late, which needs a time.
type Detail struct {
	// Code is the HTTP status of a front end, for the manner status; one of Codes.
	// Whether it answers before or after forwarding is said by the cut: C1, C3w
	// and C8 are before, C3 is at once after, and C4 is over the server's answer.
	Code int
	// RetryAfter is what a front end asks for with 429 and 503, in whole seconds;
	// nothing when zero.
	RetryAfter time.Duration
	// Location is where a redirect points; the target of the request with a slash
	// more, when empty.
	Location string

	// Leg is the one leg that a fin or rst ends; the other stays open and silent.
	// Both end when empty.
	Leg string
	// Way is the one way of a hold on which nothing more passes; up for a cut of
	// the request, down for one of the answer. Both when empty.
	Way string
	// For is how long a hold lasts, how late what is late passes, or how long a killed
	// server stays down before it is started again. A hold of no length lasts until
	// the proxy closes.
	For time.Duration
}

// The legs of a connection and the ways of its bytes, as Detail names them.
const (
	ClientLeg = "client"
	ServerLeg = "server"
	WayUp     = "up"   // to the server
	WayDown   = "down" // to the client
)

// Codes are the statuses that a front end can answer with.
var Codes = []int{202, 307, 400, 404, 405, 408, 421, 429, 500, 502, 503, 504}

// The manners that go with each cut.
var (
	breaks  = []string{FIN, RST, Hold}
	instead = []string{FIN, RST, Hold, Status, Late}

	mannersOf = map[string][]string{
		C0: breaks, C1: instead, C2: breaks, C3: {FIN, RST, Hold, Status}, C3w: instead,
		C4: instead, C5: breaks, C6: breaks, C7: breaks, C8: instead, CutBurst: breaks,
		CutIdle: {FIN, RST, Hold, Forget}, CutAccept: {Hold, RST}, CutKill: {RST},
	}
)

// MannersOf are the manners in which an exchange can break at a cut, or a burst
// can. The slice belongs to the caller.
func MannersOf(cut string) []string { return slices.Clone(mannersOf[cut]) }

// Check says whether a manner can break an exchange at a cut, and whether it can
// with this detail. Its error wraps ErrRule and names what does not fit.
func (d Detail) Check(cut, manner string) error {
	if !slices.Contains(mannersOf[cut], manner) {
		return fmt.Errorf("%w: manner %q does not go with cut %s; known: %v", ErrRule, manner, cut, mannersOf[cut])
	}
	bad := func(what string, value any, want string) error {
		return fmt.Errorf("%w: %s %v with cut %s, manner %s: %s", ErrRule, what, value, cut, manner, want)
	}
	status := manner == Status
	switch {
	case status && !slices.Contains(Codes, d.Code):
		return bad("status", d.Code, fmt.Sprintf("known: %v", Codes))
	case !status && d.Code != 0:
		return bad("status", d.Code, "only of the manner status")
	case d.RetryAfter != 0 && !(d.Code == 429 || d.Code == 503):
		return bad("retryAfter", d.RetryAfter, "only of status 429 and 503")
	case d.RetryAfter < 0 || d.RetryAfter%time.Second != 0:
		return bad("retryAfter", d.RetryAfter, "whole seconds")
	case d.Location != "" && d.Code != 307:
		return bad("location", d.Location, "only of status 307")
	}
	return d.checkHow(cut, manner, bad)
}

// checkHow checks what is said of the connection.
func (d Detail) checkHow(cut, manner string, bad func(string, any, string) error) error {
	ofNone := slices.Contains([]string{C0, CutBurst, CutIdle, CutAccept, CutKill}, cut) // of no exchange on a connection alone
	ofAnswer := slices.Contains([]string{C3, C4, C5, C6, C7}, cut)
	switch {
	case d.Leg != "" && (manner != FIN && manner != RST || ofNone):
		return bad("leg", d.Leg, "only of fin and rst on an exchange")
	case d.Leg != "" && d.Leg != ClientLeg && d.Leg != ServerLeg:
		return bad("leg", d.Leg, "known: client, server")
	case d.Way != "" && (manner != Hold || ofNone):
		return bad("way", d.Way, "only of a hold on an exchange")
	case d.Way == WayUp && ofAnswer || d.Way == WayDown && !ofAnswer:
		return bad("way", d.Way, "up goes with C1, C2, C3w and C8, down with C3 to C7")
	case d.Way != "" && d.Way != WayUp && d.Way != WayDown:
		return bad("way", d.Way, "known: up, down")
	case d.For == 0 && manner == Late:
		return fmt.Errorf("%w: cut %s, manner late without for: how much later what is withheld passes, such as for: '2s'", ErrRule, cut)
	case d.For < 0:
		return bad("for", d.For, "a time of more than 0")
	case (cut == CutAccept || cut == CutKill) && d.For > 0:
	case d.For > 0 && manner != Hold && manner != Late && d.Leg == "":
		return bad("for", d.For, "only of hold, late and a cut of one leg")
	}
	return nil
}
