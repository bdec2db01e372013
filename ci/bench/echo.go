package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// openEcho opens the floor: what net/http alone costs for one POST and its
// answer, with as many body bytes as a tool call.
func openEcho(addr string, inFlight int) (*lane, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: inFlight}
	client := &http.Client{Transport: transport}
	l := &lane{close: func() error {
		transport.CloseIdleConnections()
		return nil
	}}
	for range inFlight {
		l.calls = append(l.calls, func() error { return echo(client, "http://"+addr+echoPath) })
	}
	return l, nil
}

const echoBody = requestStart + "1000" + callRest

func echo(client *http.Client, url string) error {
	response, err := client.Post(url, "application/json", strings.NewReader(echoBody))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && len(body) != len(echoBody) {
		err = fmt.Errorf("the echo has %d bytes, want %d", len(body), len(echoBody))
	}
	return err
}
