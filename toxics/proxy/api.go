package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// API serves toxiproxy's HTTP API (v2.12.0) for some proxies, so that its usual
// clients can drive their toxics. There is GET of /version, /proxies,
// /proxies/NAME, /proxies/NAME/toxics and each toxic; POST of a toxic, POST and
// PATCH to change one, DELETE to remove one, and POST /reset. What they do holds for
// the connections that are opened afterwards: those that are open keep the toxics
// that they have.
//
// Refused by name, with 403, is what would make the record of the run untrue: to
// create, change, disable or delete a proxy, to populate, and to touch the toxics of
// the plan, the cuts and the witness.
type API struct {
	listener net.Listener
	server   *http.Server
	proxies  map[string]*Proxy
	served   chan struct{} // closed when serving has ended
}

// apiTimeout bounds one request, in either direction.
const apiTimeout = 10 * time.Second

// StartAPI listens on a loopback address; port 0 takes a free one. Close must be
// called before the proxies are closed. Its error wraps ErrRemote where the address
// is not a loopback one.
func StartAPI(addr string, proxies ...*Proxy) (*API, error) {
	if err := CheckLoopback(addr); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("proxy: the API: %w", err)
	}
	a := &API{listener: listener, proxies: make(map[string]*Proxy), served: make(chan struct{})}
	for _, p := range proxies {
		a.proxies[p.opts.Name] = p
	}
	a.server = &http.Server{Handler: a.guard(a.routes()), ReadTimeout: apiTimeout, WriteTimeout: apiTimeout}
	go func() {
		defer close(a.served)
		_ = a.server.Serve(listener) // ends with Close
	}()
	return a, nil
}

// Addr is where clients of the API connect, host:port.
func (a *API) Addr() string { return a.listener.Addr().String() }

// Close ends the API, with the requests that are under way if ctx lasts.
func (a *API) Close(ctx context.Context) error {
	err := a.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("proxy: closing the API: %w", err), a.server.Close())
	}
	<-a.served
	return err
}

// guard keeps web pages out, as toxiproxy does: a browser can reach the loopback
// interface from any of them.
func (a *API) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.UserAgent(), "Mozilla/") || CheckLoopback(r.Host) != nil {
			fail(w, http.StatusForbidden, "only for clients on this machine, and no browsers")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		next.ServeHTTP(w, r)
	})
}

func (a *API) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]string{"version": "2.12.0"})
	})
	mux.HandleFunc("GET /proxies", a.list)
	mux.HandleFunc("POST /reset", a.reset)
	mux.HandleFunc("GET /proxies/{proxy}", a.on(func(w http.ResponseWriter, _ *http.Request, p *Proxy) {
		reply(w, http.StatusOK, p.describe())
	}))
	mux.HandleFunc("GET /proxies/{proxy}/toxics", a.on(func(w http.ResponseWriter, _ *http.Request, p *Proxy) {
		reply(w, http.StatusOK, p.toxicList())
	}))
	mux.HandleFunc("POST /proxies/{proxy}/toxics", a.on(create))
	mux.HandleFunc("GET /proxies/{proxy}/toxics/{toxic}", a.on(show))
	for _, method := range []string{"POST", "PATCH"} {
		mux.HandleFunc(method+" /proxies/{proxy}/toxics/{toxic}", a.on(change))
		mux.HandleFunc(method+" /proxies/{proxy}", refuse)
	}
	mux.HandleFunc("DELETE /proxies/{proxy}/toxics/{toxic}", a.on(remove))
	mux.HandleFunc("POST /proxies", refuse)
	mux.HandleFunc("POST /populate", refuse)
	mux.HandleFunc("DELETE /proxies/{proxy}", refuse)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "no such resource: "+r.Method+" "+r.URL.Path)
	})
	return mux
}

// on finds the proxy that a request names.
func (a *API) on(do func(http.ResponseWriter, *http.Request, *Proxy)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, ok := a.proxies[r.PathValue("proxy")]
		if !ok {
			fail(w, http.StatusNotFound, "proxy not found")
			return
		}
		do(w, r, p)
	}
}

func (a *API) list(w http.ResponseWriter, _ *http.Request) {
	out := make(map[string]proxyJSON)
	for name, p := range a.proxies {
		out[name] = p.describe()
	}
	reply(w, http.StatusOK, out)
}

// reset removes every toxic that came by the API.
func (a *API) reset(w http.ResponseWriter, _ *http.Request) {
	for _, p := range a.proxies {
		if err := p.change(func([]toxicJSON) ([]toxicJSON, error) { return nil, nil }); err != nil {
			failWith(w, err)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// refuse names what mcpstorm does not let others do to its proxies.
func refuse(w http.ResponseWriter, r *http.Request) {
	fail(w, http.StatusForbidden, fmt.Sprintf("%s %s is not here: the run owns its proxies; only toxics can be added, changed and removed", r.Method, r.URL.Path))
}
