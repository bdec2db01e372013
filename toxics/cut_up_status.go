package toxics

import "mcpstorm/toxics/plan"

// answer lets a front end answer a request in place of the server: before it was
// given to the server, or at C3 after it was, without waiting for the server.
func (u *cutUp) answer(x *exchange, raw []byte, out *output) (cut bool) {
	if x.mark.Cut == plan.C3 {
		return u.answerEarly(x, raw, out)
	}
	if why := u.ready(); why != "" {
		u.miss(x, why)
		u.pass(raw, out)
		return false
	}
	answer := frontAnswer(x.method, x.target, x.mark.Detail, false)
	u.answered(len(answer)) // before the client can know it
	u.give(x, answer)
	return false
}

// answerEarly answers while the server has the request. Its answer could only be
// taken for the next one, so the connection ends.
func (u *cutUp) answerEarly(x *exchange, raw []byte, out *output) (cut bool) {
	u.pass(raw, out)
	why := u.ready()
	if why == "" && !u.legs.AwaitUp(u.out) {
		why = missedNotTaken
	}
	if why != "" {
		u.miss(x, why)
		return false
	}
	if !u.give(x, frontAnswer(x.method, x.target, x.mark.Detail, true)) {
		return false
	}
	_ = u.legs.Cut(plan.FIN, plan.Detail{}) // a client that has left has read its answer
	return true
}

// ready waits until every earlier answer has left for the client. It says why
// none can be given, or nothing.
func (u *cutUp) ready() (why string) {
	if err := u.legs.Over(); err != nil {
		return reasonOf(err)
	}
	u.mu.Lock()
	before := u.downOut
	u.mu.Unlock()
	if !u.legs.AwaitDown(before) {
		return missedNotTaken
	}
	return ""
}

// give hands the client an answer past the toxics, and records the fault.
func (u *cutUp) give(x *exchange, answer []byte) bool {
	u.mu.Lock()
	u.downOut += int64(len(answer))
	end := u.downOut
	u.mu.Unlock()
	u.legs.Give(answer)
	if !u.legs.AwaitDown(end) {
		u.miss(x, missedNotTaken)
		return false
	}
	u.deliver(x, "")
	return true
}
