package browser_test

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcpstorm/ci/browser"
	"mcpstorm/history"
	"mcpstorm/reports"
)

var (
	desk  = browser.View{Width: 1280, Height: 900}
	phone = browser.View{Width: 380, Height: 800}
	night = browser.View{Width: 1280, Height: 900, Dark: true}
)

// open opens a report, which must please the browser and ask no network for anything.
func open(t *testing.T, file string, v browser.View) *browser.Page {
	t.Helper()
	page, err := browse.Open(file, v)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, complaint := range page.Complaints() {
			t.Error(complaint)
		}
	})
	return page
}

func eval[T any](t *testing.T, page *browser.Page, expression string) (value T) {
	t.Helper()
	if err := page.Eval(expression, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// each opens the report of every verdict.
func each(t *testing.T, v browser.View, test func(t *testing.T, verdict string, page *browser.Page)) {
	for verdict, dir := range dirs {
		t.Run(verdict, func(t *testing.T) { test(t, verdict, open(t, filepath.Join(dir, reports.HTMLFile), v)) })
	}
}

// The verdict is the first thing that a reader sees, every part is there, and charts
// have words.
func TestReportSaysWhatHappened(t *testing.T) {
	each(t, desk, func(t *testing.T, verdict string, page *browser.Page) {
		if got := eval[string](t, page, `document.querySelector('h1').innerText.toLowerCase()`); !strings.HasPrefix(got, verdict) {
			t.Errorf("the first heading is %q", got)
		}
		if bottom := eval[float64](t, page, `document.querySelector('.figures').getBoundingClientRect().bottom`); bottom > 900 {
			t.Errorf("what happened is told %g pixels down, below the first screen", bottom)
		}
		bad := eval[[]string](t, page, `[...document.images].filter(i => !i.complete || !i.naturalWidth || i.alt.length < 40).map(i => i.alt || 'no words')`)
		if len(bad) > 0 {
			t.Errorf("charts that do not show or have no words: %q", bad)
		}
		if charts := eval[int](t, page, `document.images.length`); charts == 0 && verdict == "pass" {
			t.Error("there is no chart")
		}
		want := map[string][]string{
			"pass": {"asserted", "charts", "phases", "truth", "thresholds", "metrics", "plan", "host", "repeat"},
			"fail": {"asserted", "proof", "phases", "truth", "thresholds", "metrics", "plan", "host", "repeat"},
			// Without a delivered fault the window is still known.
			"inconclusive": {"asserted", "missing", "phases", "truth", "thresholds", "metrics", "plan", "host", "repeat"},
		}[verdict]
		sections := eval[[]string](t, page, `[...document.querySelectorAll('section')].map(s => s.id)`)
		for _, id := range want {
			if !strings.Contains(" "+strings.Join(sections, " ")+" ", " "+id+" ") {
				t.Errorf("no section %s among %v", id, sections)
			}
		}
		if broken := eval[[]string](t, page, `[...document.querySelectorAll('a')].map(a => a.getAttribute('href')).filter(h => !h.startsWith('#') || !document.querySelector(h))`); len(broken) > 0 {
			t.Errorf("links that lead nowhere: %q", broken)
		}
	})
}

func TestReportFitsAPhone(t *testing.T) {
	each(t, phone, func(t *testing.T, _ string, page *browser.Page) {
		for _, width := range []int{380, 320} {
			if err := page.See(browser.View{Width: width, Height: 800}); err != nil {
				t.Fatal(err)
			}
			wide := eval[[]int](t, page, `[document.documentElement.scrollWidth, window.innerWidth]`)
			if wide[0] > wide[1] {
				t.Errorf("%d pixels wide on %d", wide[0], wide[1])
			}
		}
	})
}

// focusables is everything that a keyboard must reach.
const focusables = `[...document.querySelectorAll('a[href], summary, [tabindex="0"]')].filter(e => e.checkVisibility())`

// Tab goes through everything there is to be opened, followed or moved, in order, with
// the skip link first; Enter opens what is folded.
func TestReportByKeyboard(t *testing.T) {
	each(t, phone, func(t *testing.T, _ string, page *browser.Page) {
		count := eval[int](t, page, focusables+`.length`)
		for i := range count {
			if err := page.Press("Tab"); err != nil {
				t.Fatal(err)
			}
			if at := eval[int](t, page, focusables+`.indexOf(document.activeElement)`); at != i {
				t.Fatalf("Tab %d of %d led to %s", i+1, count, eval[string](t, page, `document.activeElement.outerHTML.slice(0, 200)`))
			}
			if i == 0 && eval[string](t, page, `document.activeElement.className`) != "skip" {
				t.Error("the first is not the skip link")
			}
			if seen := eval[string](t, page, `getComputedStyle(document.activeElement).outlineStyle`); seen != "solid" {
				t.Errorf("element %d shows no focus", i+1)
			}
			if eval[string](t, page, `document.activeElement.localName`) != "summary" {
				continue
			}
			const isOpen = `document.activeElement.parentElement.open`
			was := eval[bool](t, page, isOpen)
			for _, want := range []bool{!was, was} { // and closed again, so that the count stays
				if err := page.Press("Enter"); err != nil {
					t.Fatal(err)
				}
				if eval[bool](t, page, isOpen) != want {
					t.Errorf("Enter did not turn element %d", i+1)
				}
			}
		}
		if count < 12 {
			t.Errorf("only %d elements can be reached", count)
		}
	})
}

// contrast lists texts whose contrast with their ground is below what WCAG 2.2 wants of
// text (AA, 1.4.3): 4.5 to 1.
const contrast = `(() => {
  const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
  const rgba = c => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = c => rgba(c).slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgba(c)[3] > 0) return c; } return 'white'; };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), low = [];
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest('style')) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.push(((a + 0.05) / (b + 0.05)).toFixed(2) + ' ' + walk.currentNode.data);
  }
  return low;
})()`

func TestReportCanBeRead(t *testing.T) {
	for name, v := range map[string]browser.View{"light": desk, "dark": night} {
		t.Run(name, func(t *testing.T) {
			each(t, v, func(t *testing.T, _ string, page *browser.Page) {
				if low := eval[[]string](t, page, contrast); len(low) > 0 {
					t.Errorf("too little contrast: %q", low)
				}
				ground := eval[string](t, page, `getComputedStyle(document.body).backgroundColor`)
				if dark := ground == "rgb(20, 23, 26)"; dark != v.Dark {
					t.Errorf("the ground is %s", ground)
				}
			})
		})
	}
}

// A chart is as light or as dark as the page around it: its ground is that of the paper
// that it lies on.
func TestChartsFollowThePage(t *testing.T) {
	for name, c := range map[string]struct {
		view browser.View
		want color.RGBA
	}{
		"light": {desk, color.RGBA{255, 255, 255, 255}},
		"dark":  {night, color.RGBA{30, 30, 30, 255}},
	} {
		t.Run(name, func(t *testing.T) {
			page := open(t, filepath.Join(dirs["pass"], reports.HTMLFile), c.view)
			paper := fmt.Sprintf("rgb(%d, %d, %d)", c.want.R, c.want.G, c.want.B)
			if got := eval[string](t, page, `getComputedStyle(document.querySelector('.paper')).backgroundColor`); got != paper {
				t.Errorf("the paper is %s, want %s", got, paper)
			}
			corner := eval[[]float64](t, page, `(r => [r.left, r.top])(document.querySelector('#charts img').getBoundingClientRect())`)
			data, err := page.Picture(corner[1] + 100)
			if err != nil {
				t.Fatal(err)
			}
			picture, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if got := color.RGBAModel.Convert(picture.At(int(corner[0])+5, int(corner[1])+5)); got != c.want {
				t.Errorf("the chart's ground is %v, want %v", got, c.want)
			}
		})
	}
}

func TestReportPrints(t *testing.T) {
	each(t, desk, func(t *testing.T, _ string, page *browser.Page) {
		pdf, err := page.PDF()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 20_000 {
			t.Errorf("%d bytes that begin %q", len(pdf), pdf[:min(len(pdf), 8)])
		}
	})
}

// A report whose every text is hostile is a report of texts: nothing runs, nothing is
// asked for, and the browser has nothing to complain of.
func TestHostileReport(t *testing.T) {
	const text = `"><script>document.title='owned'</script><img src=http://127.0.0.1:9/x onerror="document.title='owned'"></style></details>{{.}}` + "\u202e\x1b[2J"
	run := &history.Run{Dir: t.TempDir(), Manifest: history.Manifest{ID: text, Script: history.Script{Path: text}, Notes: []string{text}, Arms: []history.Arm{{
		Name: text, Judge: true, Servers: []history.Server{{Name: text, URL: "javascript:" + text}},
	}}}, Plan: []history.PlanRule{{Arm: text, Rule: text, Cut: text, On: text}}}
	verdict := history.Verdict{Schema: history.Schema, Run: text, Status: history.Fail, Reason: text, Invariants: []history.Invariant{{
		ID: text, Status: history.Fail, Evaluated: 1, Violated: 1, Unit: text, Reason: text,
		Clauses: []history.Clause{{Name: text, Status: history.Fail, Text: text}},
		Proof:   &history.Proof{Task: text, Text: text, Events: []string{text}},
	}}}
	if _, err := reports.Publish(run, verdict, reports.PublishOptions{NoCharts: true}); err != nil {
		t.Fatal(err)
	}
	page := open(t, filepath.Join(run.Dir, reports.HTMLFile), phone)
	if title := eval[string](t, page, `document.title`); title == "owned" {
		t.Error("a text ran")
	}
	if n := eval[int](t, page, `document.querySelectorAll('script, img, iframe, object, embed, [onerror], [href^="javascript"]').length`); n != 0 {
		t.Errorf("%d elements came out of texts", n)
	}
	if wide := eval[bool](t, page, `document.documentElement.scrollWidth > window.innerWidth`); wide {
		t.Error("it has to be scrolled sideways")
	}
	validate(t, filepath.Join(run.Dir, reports.JUnitFile))
}

// What CI servers read is what their descriptions of it say.
func TestJUnitSchema(t *testing.T) {
	for verdict, dir := range dirs {
		t.Run(verdict, func(t *testing.T) { validate(t, filepath.Join(dir, reports.JUnitFile)) })
	}
	broken := filepath.Join(t.TempDir(), "broken.xml")
	if err := os.WriteFile(broken, []byte(`<testsuites><testsuite name="a"/></testsuites>`), 0o600); err != nil {
		t.Fatal(err)
	}
	if exec.Command("xmllint", "--noout", "--schema", "testdata/junit.xsd", broken).Run() == nil {
		t.Error("the schema takes anything")
	}
}

func validate(t *testing.T, file string) {
	t.Helper()
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Fatal("xmllint is not installed (Debian: apt-get install libxml2-utils)")
	}
	if out, err := exec.Command("xmllint", "--nonet", "--noout", "--schema", "testdata/junit.xsd", file).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
