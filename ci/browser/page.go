package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Page is one open page.
type Page struct {
	browser *Browser
	session string
}

// View is how a page is seen.
type View struct {
	Width, Height int
	Dark          bool
}

// Open opens a file from disk and waits until all of it is there.
func (b *Browser) Open(file string, v View) (*Page, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	var target struct{ TargetID string }
	if err := b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return nil, err
	}
	var attached struct{ SessionID string }
	if err := b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	p := &Page{browser: b, session: attached.SessionID}
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		if err := p.call(domain+".enable", struct{}{}, nil); err != nil {
			return nil, err
		}
	}
	if err := p.See(v); err != nil {
		return nil, err
	}
	address := &url.URL{Scheme: "file", Path: path}
	if err := p.call("Page.navigate", map[string]any{"url": address.String()}, nil); err != nil {
		return nil, err
	}
	return p, b.await(p.session, "Page.loadEventFired")
}

func (p *Page) call(method string, params, result any) error {
	return p.browser.call(p.session, method, params, result)
}

// See changes how the page is seen.
func (p *Page) See(v View) error {
	scheme := "light"
	if v.Dark {
		scheme = "dark"
	}
	if err := p.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": v.Width, "height": v.Height, "deviceScaleFactor": 1, "mobile": false,
	}, nil); err != nil {
		return err
	}
	return p.call("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil)
}

// Eval evaluates a JavaScript expression, waits for it where it is a promise, and takes
// its value into result.
func (p *Page) Eval(expression string, result any) error {
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := p.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got); err != nil {
		return err
	}
	if got.Exception != nil {
		return fmt.Errorf("browser: %s: %s %s", expression, got.Exception.Text, got.Exception.Exception.Description)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(got.Result.Value, result)
}

// Press presses a key and lets it go: Tab, Enter.
func (p *Page) Press(key string) error {
	codes := map[string]int{"Tab": 9, "Enter": 13}
	event := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
	if key == "Enter" {
		event["text"] = "\r"
	}
	if err := p.call("Input.dispatchKeyEvent", event, nil); err != nil {
		return err
	}
	return p.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}, nil)
}

// Complaints are what the browser has said of the page so far: errors and warnings on
// its console, and whatever it asked a network for.
func (p *Page) Complaints() (list []string) {
	for _, m := range p.browser.events {
		if m.Session != p.session {
			continue
		}
		switch m.Method {
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Network.loadingFailed":
			list = append(list, m.Method+" "+string(m.Params))
		case "Network.requestWillBeSent":
			var sent struct{ Request struct{ URL string } }
			if json.Unmarshal(m.Params, &sent) != nil || !strings.HasPrefix(sent.Request.URL, "file:") && !strings.HasPrefix(sent.Request.URL, "data:") {
				list = append(list, m.Method+" "+string(m.Params))
			}
		}
	}
	return list
}

// Picture is a PNG of the whole page, or of its first most pixels; 0 means all.
func (p *Page) Picture(most float64) ([]byte, error) {
	var size struct {
		Content struct {
			Width, Height float64
		} `json:"cssContentSize"`
	}
	if err := p.call("Page.getLayoutMetrics", struct{}{}, &size); err != nil {
		return nil, err
	}
	height := size.Content.Height
	if most > 0 {
		height = min(height, most)
	}
	return p.data("Page.captureScreenshot", map[string]any{
		"format": "png", "captureBeyondViewport": true,
		"clip": map[string]any{"x": 0, "y": 0, "width": size.Content.Width, "height": height, "scale": 1},
	})
}

// PDF prints the page on A4.
func (p *Page) PDF() ([]byte, error) {
	return p.data("Page.printToPDF", map[string]any{
		"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": true, "preferCSSPageSize": true,
	})
}

func (p *Page) data(method string, params any) ([]byte, error) {
	var got struct{ Data string }
	if err := p.call(method, params, &got); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(got.Data)
}
