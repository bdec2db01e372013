package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/Shopify/toxiproxy/v2"
	tox "github.com/Shopify/toxiproxy/v2/toxics"

	"mcpstorm/toxics/plan"
)

// proxyJSON is a proxy in the words of toxiproxy's HTTP API.
type proxyJSON struct {
	Name     string      `json:"name"`
	Listen   string      `json:"listen"`
	Upstream string      `json:"upstream"`
	Enabled  bool        `json:"enabled"`
	Toxics   []tox.Toxic `json:"toxics"`
}

func (p *Proxy) describe() proxyJSON {
	return proxyJSON{p.opts.Name, p.Addr(), p.opts.Upstream, p.ctx.Err() == nil, p.toxicList()}
}

// toxicList are the toxics that a connection gets now, in their order.
func (p *Proxy) toxicList() []tox.Toxic { return p.chain.Load().tox.Toxics.GetToxicArray() }

// change replaces the toxics that came by the API. What cannot be installed changes
// nothing.
func (p *Proxy) change(edit func(added []toxicJSON) ([]toxicJSON, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	added, err := edit(slices.Clone(p.added))
	if err != nil {
		return err
	}
	for _, t := range added {
		if err := plan.CheckToxic(t.Type, t.Attributes); err != nil {
			return &toxiproxy.ApiError{Message: err.Error(), StatusCode: http.StatusBadRequest}
		}
	}
	chain, err := p.install(added)
	if err != nil {
		return err
	}
	p.added = added
	p.chain.Store(chain)
	return nil
}

// errOwned says that a toxic belongs to the run.
var errOwned = &toxiproxy.ApiError{
	Message: "the toxic belongs to the run: only toxics that came by the API can be changed or removed", StatusCode: http.StatusForbidden,
}

// find is where a toxic stands among those that came by the API.
func (p *Proxy) find(added []toxicJSON, name string) (int, error) {
	i := slices.IndexFunc(added, func(t toxicJSON) bool { return t.Name == name })
	switch {
	case i >= 0:
		return i, nil
	case p.chain.Load().tox.Toxics.GetToxic(name) != nil:
		return 0, errOwned
	}
	return 0, toxiproxy.ErrToxicNotFound
}

func create(w http.ResponseWriter, r *http.Request, p *Proxy) {
	t := toxicJSON{Stream: downstream, Toxicity: 1}
	if !decode(w, r, &t) {
		return
	}
	switch {
	case strings.HasPrefix(t.Type, "mcp_cut"), strings.HasPrefix(t.Type, "mcp_tap"), t.windowed():
		failWith(w, errOwned)
		return
	case t.Stream != upstream && t.Stream != downstream:
		failWith(w, toxiproxy.ErrInvalidStream)
		return
	}
	if t.Name == "" {
		t.Name = t.Type + "_" + t.Stream
	}
	err := p.change(func(added []toxicJSON) ([]toxicJSON, error) { return append(added, t), nil })
	answer(w, p, t.Name, err)
}

func show(w http.ResponseWriter, r *http.Request, p *Proxy) { answer(w, p, r.PathValue("toxic"), nil) }

// change sets the toxicity of a toxic, and those of its attributes that are given.
func change(w http.ResponseWriter, r *http.Request, p *Proxy) {
	var given struct {
		Toxicity   *float64
		Attributes map[string]any
	}
	if !decode(w, r, &given) {
		return
	}
	name := r.PathValue("toxic")
	err := p.change(func(added []toxicJSON) ([]toxicJSON, error) {
		i, err := p.find(added, name)
		if err != nil {
			return nil, err
		}
		attributes := p.attributes(added[i].Type, added[i].Attributes)
		for key, value := range given.Attributes {
			attributes[key] = value
		}
		added[i].Attributes = attributes
		if given.Toxicity != nil {
			added[i].Toxicity = *given.Toxicity
		}
		return added, nil
	})
	answer(w, p, name, err)
}

func remove(w http.ResponseWriter, r *http.Request, p *Proxy) {
	err := p.change(func(added []toxicJSON) ([]toxicJSON, error) {
		i, err := p.find(added, r.PathValue("toxic"))
		if err != nil {
			return nil, err
		}
		return slices.Delete(added, i, i+1), nil
	})
	if err != nil {
		failWith(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// answer shows a toxic, or says why there is none.
func answer(w http.ResponseWriter, p *Proxy, name string, err error) {
	if err != nil {
		failWith(w, err)
		return
	}
	t := p.chain.Load().tox.Toxics.GetToxic(name)
	if t == nil {
		failWith(w, toxiproxy.ErrToxicNotFound)
		return
	}
	reply(w, http.StatusOK, t)
}

// decode reads a request's body, or answers that it cannot be read.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		fail(w, http.StatusBadRequest, fmt.Sprintf("bad request body: %v", err))
		return false
	}
	return true
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that has left needs none
}

// fail answers with an error, in toxiproxy's form.
func fail(w http.ResponseWriter, status int, message string) {
	reply(w, status, toxiproxy.ApiError{Message: message, StatusCode: status})
}

// failWith answers with what went wrong: toxiproxy's own errors know their status.
func failWith(w http.ResponseWriter, err error) {
	var known *toxiproxy.ApiError
	if errors.As(err, &known) {
		fail(w, known.StatusCode, known.Message)
		return
	}
	fail(w, http.StatusInternalServerError, err.Error())
}
