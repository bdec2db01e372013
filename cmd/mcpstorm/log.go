package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/engine"
)

// logFlags say where the script's console and the command's own remarks go.
type logFlags struct {
	format  string // json or raw; empty is plain text
	output  string // none, stdout, stderr, or file=PATH[,level=LEVEL]
	console string // a file for the script's console alone
	verbose bool
}

func (f *logFlags) bind(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.format, "log-format", "", "how lines are written: json, or raw for the message alone")
	flags.StringVar(&f.output, "log-output", "stderr", "where they go: none, stdout, stderr, or file=PATH[,level=LEVEL]")
	flags.StringVar(&f.console, "console-output", "", "a file for what the script prints")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show the script's console.debug too")
}

// levels are in ascending order.
var levels = []engine.Level{engine.LevelDebug, engine.LevelInfo, engine.LevelWarn, engine.LevelError}

// logger writes the lines of a script's console and of the command itself. Its
// methods may be called from any goroutine.
type logger struct {
	format string
	least  int // the lowest level that is written, an index of levels

	mu      sync.Mutex
	out     io.Writer
	console io.Writer // for the script's lines
	files   []io.Closer
}

// open opens what the flags name. A line to standard error goes through screen,
// which may draw there.
func (f *logFlags) open(screen io.Writer) (*logger, error) {
	l := &logger{format: f.format, least: 1}
	if f.verbose {
		l.least = 0
	}
	if f.format != "" && f.format != "json" && f.format != "raw" {
		return nil, fmt.Errorf("--log-format %s: want json or raw", f.format)
	}
	path, err := l.to(f.output, screen)
	if err != nil {
		return nil, err
	}
	if path != "" {
		if l.out, err = l.create("--log-output", path); err != nil {
			return nil, err
		}
	}
	l.console = l.out
	if f.console != "" {
		l.console, err = l.create("--console-output", f.console)
	}
	return l, err
}

// to sets the output that a flag names, or returns the file that is to be made.
func (l *logger) to(output string, screen io.Writer) (path string, err error) {
	where, level, leveled := strings.Cut(output, ",")
	switch path, file := strings.CutPrefix(where, "file="); {
	case file && path != "":
		if !leveled {
			return path, nil
		}
		name, ok := strings.CutPrefix(level, "level=")
		at := slices.Index(levels, engine.Level(strings.Replace(name, "warning", "warn", 1)))
		if !ok || at < 0 {
			return "", fmt.Errorf("--log-output %s: want level=debug, info, warning or error", output)
		}
		l.least = at
		return path, nil
	case output == "stderr":
		l.out = screen
	case output == "stdout":
		l.out = os.Stdout
	case output == "none":
		l.out = io.Discard
	default:
		return "", fmt.Errorf("--log-output %s: not supported; known: none, stdout, stderr, file=PATH[,level=LEVEL]", output)
	}
	return "", nil
}

func (l *logger) create(flag, path string) (io.Writer, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	l.files = append(l.files, file)
	return file, nil
}

// close closes the files.
func (l *logger) close() error {
	var failed error
	for _, file := range l.files {
		failed = errors.Join(failed, file.Close())
	}
	return failed
}

// print writes a line of the script's console.
func (l *logger) print(line engine.ConsoleLine) { l.write(l.console, line, "console", "") }

// note writes a remark of the command itself. Its name stands before it in plain
// text only: JSON says it as the source, and raw is the message alone.
func (l *logger) note(level engine.Level, text string) {
	prefix := ""
	if l.format == "" {
		prefix = "mcpstorm: "
	}
	l.write(l.out, engine.ConsoleLine{Time: (clock.System{}).Now(), Level: level, Text: text}, "mcpstorm", prefix)
}

// warn is a note about something that the user may not have meant.
func (l *logger) warn(text string) { l.note(engine.LevelWarn, text) }

func (l *logger) write(to io.Writer, line engine.ConsoleLine, source, prefix string) {
	if slices.Index(levels, line.Level) < l.least {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// A log that cannot be written to must not stop a run.
	_, _ = io.WriteString(to, prefix+l.text(line, source)+"\n")
}

// text is a line in the format that was asked for.
func (l *logger) text(line engine.ConsoleLine, source string) string {
	switch l.format {
	case "raw":
		return line.Text
	case "json":
		text, err := json.Marshal(struct {
			Level  engine.Level `json:"level"`
			Msg    string       `json:"msg"`
			Source string       `json:"source"`
			Time   string       `json:"time"`
		}{line.Level, line.Text, source, line.Time.UTC().Format(time.RFC3339Nano)})
		if err == nil {
			return string(text)
		}
	}
	return line.String()
}
