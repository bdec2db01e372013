package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/all"
)

// closing bounds the end of a server.
const closing = 5 * time.Second

// serveFlags are the flags of serve.
type serveFlags struct {
	config        refserver.Config
	addr, effects string
	root          uint64
	untilStdin    bool
	cycle         int
	blocks        map[string]string
}

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:     "serve NAME",
		Short:   "Run a reference server alone: " + strings.Join(all.Servers().Names(), ", "),
		Example: "  mcpstorm serve usersim --addr 127.0.0.1:8100",
		Args:    needs("NAME"),
	}
	f.bind(c)
	c.RunE = func(c *cobra.Command, args []string) error { return f.serve(c.Context(), args[0]) }
	return c
}

func (f *serveFlags) bind(c *cobra.Command) {
	s, flags := &f.config, c.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:0", "the loopback address to listen on")
	flags.StringVar(&f.effects, "effects", "", "a folder for the server's own record of what it executed")
	flags.Uint64Var(&f.root, "seed", 1, "the root of all chance in the server")
	flags.StringSliceVar(&s.Bugs, "bug", nil, "plant a bug: FM-NN[,…]")
	flags.StringVar(&s.Era, "era", "", "the MCP version to speak (default: the kind's first)")
	flags.BoolVar(&s.Stateful, "stateful", false, "keep MCP sessions")
	flags.BoolVar(&s.SSE, "sse", false, "answer with event streams")
	flags.IntVar(&s.Framing.Lines, "sse-lines", 0, "write each event in so many data lines, with --sse (default: one)")
	flags.StringVar(&s.Framing.LineEnd, "sse-line-end", "", "end the lines of event streams so, with --sse: lf, crlf, cr (default: lf)")
	flags.BoolVar(&s.Resumable, "resumable", false, "event streams that can be resumed; keeps MCP sessions")
	flags.BoolVar(&s.Durable, "durable", false, "usersim, ledger: go on where the servers of this name and arm ended that have their record in --effects")
	flags.IntVar(&s.Turns, "turns", 0, "usersim: user turns in a conversation (default 4)")
	flags.DurationVar(&s.TurnLatency, "turn-latency", 0, "usersim: how long simulating a turn takes")
	flags.DurationVar(&s.StateLatency, "state-latency", 0, "usersim: how long it takes to write its shared state")
	flags.Float64Var(&s.StateFailures, "state-failures", 0, "usersim: the share of those writes that fail, from 0 to 1")
	flags.DurationVar(&s.ToolLatency, "tool-latency", 0, "ledger, wiki: how long a tool takes")
	flags.IntVar(&s.Admit, "admit", 0, "how many requests to take at once; one too many gets a 503 (default: no bound)")
	flags.StringVar(&s.Name, "name", "", "the server's name in its records (default: NAME)")
	flags.StringVar(&s.Arm, "arm", "", "the arm's name in its records")
	flags.StringToStringVar(&f.blocks, "block", nil, "BLOCK=SCENARIO, which scenario owns a block of task numbers")
	flags.BoolVar(&f.untilStdin, "until-stdin-closes", false, "end when standard input does: the way of a child process")
	flags.IntVar(&f.cycle, "cycle", 0, "count what the process holds into --effects, each time that so many rollouts have begun")
	_ = flags.MarkHidden("until-stdin-closes")
	_ = flags.MarkHidden("cycle")
}

// serve runs a reference server of one kind until it is told to end.
func (f *serveFlags) serve(ctx context.Context, kindName string) (err error) {
	config := &f.config
	config.Seed = seed.Root(f.root)
	if config.Blocks, err = blocksOf(f.blocks); err != nil {
		return err
	}
	kind, err := all.Servers().Lookup(kindName)
	if err != nil {
		return err
	}
	name := cmp.Or(config.Name, kind.Name)
	if config.Past, err = pastOf(*config, f.effects, name); err != nil {
		return err
	}
	if f.effects != "" {
		log, err := history.CreateEffects(f.effects, name)
		if err != nil {
			return cannot(err)
		}
		defer closeLog(log, &err)
		config.Effects = log
	}
	server, err := kind.Open(*config)
	if err != nil {
		return err
	}
	if f.effects != "" && f.cycle > 0 {
		log, err := history.CreateResources(f.effects, name)
		if err != nil {
			return cannot(err)
		}
		defer closeLog(log, &err)
		server = refserver.Sampled(server, refserver.SamplerOptions{Name: name, Arm: config.Arm, Sink: log, Cycle: f.cycle, Process: true})
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if f.untilStdin {
		ctx = untilEnd(ctx, os.Stdin)
	}
	return serve(ctx, f.addr, server)
}

// closeLog closes a log of records, and joins the error of that to one that came before.
func closeLog(log io.Closer, err *error) {
	if closing := log.Close(); closing != nil {
		*err = cannot(errors.Join(*err, closing))
	}
}

// pastOf is what a durable server has to go on from: the effects of its arm.
func pastOf(config refserver.Config, dir, name string) (past []history.Effect, err error) {
	switch {
	case !config.Durable:
		return nil, nil
	case dir == "":
		return nil, errors.New("--durable needs --effects DIR: what a server goes on from is its own record")
	}
	err = history.RecallEffects(dir, name, func(e history.Effect) error {
		if e.Arm == config.Arm {
			past = append(past, e)
		}
		return nil
	})
	if err != nil {
		return nil, cannot(err)
	}
	return past, nil
}

// untilEnd ends the context when a stream ends too.
func untilEnd(ctx context.Context, stream io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, stream)
	}()
	return ctx
}

func blocksOf(pairs map[string]string) (map[int]string, error) {
	blocks := map[int]string{}
	for block, scenario := range pairs {
		n, err := strconv.Atoi(block)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("--block %s=%s: want NUMBER=SCENARIO", block, scenario)
		}
		blocks[n] = scenario
	}
	return blocks, nil
}

// serve serves until the context ends.
func serve(ctx context.Context, addr string, server refserver.Server) error {
	listening, err := refserver.Serve(ctx, addr, server, refserver.ServeOptions{})
	if err != nil {
		return cannot(err)
	}
	sampler, sampled := server.(*refserver.Sampler)
	if sampled {
		sampler.Begin()
	}
	fmt.Fprintf(os.Stdout, "serving %s/r/ROLLOUT/mcp\n", listening.URL())
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	if sampled {
		err = sampler.End(ctx)
	}
	if err := errors.Join(err, listening.Close(ctx)); err != nil {
		return cannot(err)
	}
	return nil
}
