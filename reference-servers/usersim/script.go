package usersim

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	refserver "mcpstorm/reference-servers"
)

// script is what one conversation's user will say. It is drawn from the seed
// and does not listen: each call takes the next turn, whatever the message. The
// task, a list of names to be kept sorted, is in the manner of alphabet-sort,
// one of the environments of verifiers.
type script struct {
	config  refserver.Config
	rollout string
	names   []string // of the task, for drawing
}

// turn is one turn as it was taken.
type turn struct {
	ordinal int64  // among the turns taken in its conversation, from 1
	nonce   string // unique to this taking of the turn
	payload string // the result, byte for byte
}

func newScript(cfg refserver.Config, rollout string) script {
	return script{config: cfg, rollout: rollout, names: cfg.TaskNames(rollout)}
}

// turn is the turn with this ordinal. The text is a function of seed, task and
// ordinal, and the nonce of seed, server, rollout and ordinal. Past the last
// user turn the list of messages is empty, and the nonce still new.
func (s script) turn(ordinal int64) turn {
	n := strconv.FormatInt(ordinal, 10)
	payload := struct {
		Messages []message `json:"messages"`
		Nonce    string    `json:"nonce"`
	}{
		Messages: []message{},
		Nonce:    s.config.Seed.Hex(16, "usersim", "nonce", s.config.Name, s.rollout, n),
	}
	if ordinal <= int64(s.config.Turns) {
		payload.Messages = append(payload.Messages, message{Role: "user", Content: s.text(ordinal)})
	}
	text, err := json.Marshal(payload)
	if err != nil {
		panic("usersim: a payload of texts cannot be marshalled: " + err.Error())
	}
	return turn{ordinal: ordinal, nonce: payload.Nonce, payload: string(text)}
}

// message is a chat message as OpenAI's API has it.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// text is what the user says in one turn.
func (s script) text(ordinal int64) string {
	names := slices.Concat([]string{"usersim", "text"}, s.names, []string{strconv.FormatInt(ordinal, 10)})
	list := strings.Join(people(s.config.Seed.Stream(names...)), ", ")
	if ordinal == 1 {
		return "Please sort these people by last name: " + list + "."
	}
	return "Now add these people and sort the whole list again: " + list + "."
}

// The parts of names.
var (
	firstNames = strings.Fields("Ada Ben Carla Dina Emil Fatma Goran Hana Ines Jonas Kemal Lena Milan Nora Omar Petra Ravi Sara Timo Uma")
	onsets     = strings.Fields("B Br D F G H J K Kl L M N P R S St T V W Z")
	middles    = strings.Fields("a e i o u al en ir on ul")
	endings    = strings.Fields("ber dani kov lund mann naka ney rossi sen ton")
)

// people draws from two to five full names.
func people(rng *rand.Rand) []string {
	pick := func(parts []string) string { return parts[rng.IntN(len(parts))] }
	list := make([]string, 2+rng.IntN(4))
	for i := range list {
		list[i] = pick(firstNames) + " " + pick(onsets) + pick(middles) + pick(endings)
	}
	return list
}
