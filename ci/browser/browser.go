package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The errors of this package.
var (
	// ErrNoBrowser says that no Chromium is installed.
	ErrNoBrowser = errors.New("browser: chromium is not installed (Debian: apt-get install chromium)")
	// ErrGone says that the browser ended.
	ErrGone = errors.New("browser: chromium ended")
)

// flags start a browser that draws nothing on a screen and asks nobody anything.
var flags = []string{
	"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
	"--remote-debugging-pipe",
}

// Browser is one running Chromium.
type Browser struct {
	command *exec.Cmd
	ended   context.Context
	in      *os.File // what we write to it
	answers chan message
	profile string
	last    int
	events  []message // that came and were not asked for yet
}

// message is one line of the protocol, of either direction.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Start starts a browser with a new and empty profile in a directory. It ends with the
// context, or by Close, which must be called.
func Start(ctx context.Context, dir string) (*Browser, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp(dir, "profile-")
	if err != nil {
		return nil, err
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourOut.Close())
	}
	command := exec.CommandContext(ctx, path, append(flags, "--user-data-dir="+profile, "about:blank")...)
	command.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4, as the flag wants them
	// The pipes of its children stay open a while after it.
	command.Env = append(os.Environ(), "HOME="+profile, "DBUS_SESSION_BUS_ADDRESS=disabled:")
	err = command.Start()
	err = errors.Join(err, theirIn.Close(), theirOut.Close())
	if err != nil {
		return nil, errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	b := &Browser{command: command, ended: ctx, in: ourOut, answers: make(chan message, 64), profile: profile}
	go b.read(ourIn)
	return b, nil
}

// find looks for a Chromium under its usual names.
func find() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

// read hands on what the browser says, one message after each zero byte, until it ends.
func (b *Browser) read(from *os.File) {
	defer close(b.answers)
	defer from.Close()
	lines := bufio.NewReaderSize(from, 1<<20)
	for {
		data, err := lines.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m) != nil {
			return
		}
		select {
		case b.answers <- m:
		case <-b.ended.Done():
			return
		}
	}
}

// call asks for something and waits for the answer. Events that come before it are kept.
func (b *Browser) call(session, method string, params, result any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	b.last++
	request, err := json.Marshal(message{ID: b.last, Session: session, Method: method, Params: data})
	if err != nil {
		return err
	}
	if _, err := b.in.Write(append(request, 0)); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrGone, method, err)
	}
	for {
		m, err := b.next(method)
		switch {
		case err != nil:
			return err
		case m.ID != b.last:
			b.events = append(b.events, m)
		case m.Error != nil:
			return fmt.Errorf("browser: %s: %s", method, m.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// next is the next message, whatever it is.
func (b *Browser) next(waiting string) (message, error) {
	select {
	case m, ok := <-b.answers:
		if !ok {
			return m, fmt.Errorf("%w, waiting for %s", ErrGone, waiting)
		}
		return m, nil
	case <-b.ended.Done():
		return message{}, fmt.Errorf("browser: waiting for %s: %w", waiting, b.ended.Err())
	}
}

// await waits for an event of a session.
func (b *Browser) await(session, method string) error {
	for i, m := range b.events {
		if m.Session == session && m.Method == method {
			b.events = append(b.events[:i], b.events[i+1:]...)
			return nil
		}
	}
	for {
		m, err := b.next(method)
		if err != nil {
			return err
		}
		if m.Session == session && m.Method == method {
			return nil
		}
		b.events = append(b.events, m)
	}
}

// Close ends the browser and removes its profile.
func (b *Browser) Close() error {
	_ = b.call("", "Browser.close", struct{}{}, nil) // it may end before it answers
	_ = b.in.Close()
	if err := b.command.Wait(); err != nil && b.ended.Err() == nil {
		return fmt.Errorf("browser: %w", err)
	}
	for range b.answers { // until its last word
	}
	return os.RemoveAll(filepath.Clean(b.profile))
}
