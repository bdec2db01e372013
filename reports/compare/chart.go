package compare

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"mcpstorm/reports/chart"
)

// Draw draws every pair's rates into a folder: compare.png and compare.svg, with a
// folder of its own for each head and arm where there are several. It returns the paths
// that it wrote; a pair that was not compared has none.
func (r *Report) Draw(dir string) (paths []string, err error) {
	for i := range r.Pairs {
		p := &r.Pairs[i]
		for j := range p.Arms {
			a := &p.Arms[j]
			into := dir
			if len(r.Pairs) > 1 || len(p.Arms) > 1 {
				into = filepath.Join(dir, fmt.Sprintf("%d-%s", i+1, url.PathEscape(a.Arm)))
			}
			if err := os.MkdirAll(into, 0o755); err != nil {
				return paths, fmt.Errorf("compare: %w", err)
			}
			title := a.title()
			method := fmt.Sprintf("Arm %s · bars are 95%% intervals on the difference · %d rates tested as one family", printable(a.Arm), r.Tests)
			source := printable(fmt.Sprintf("mcpstorm compare · base %s · head %s · %s · seed %d", r.Base.Run, p.Head.Run, r.Base.Script, r.Base.Seed))
			written, err := chart.WriteChanges(a.drawn(), title, method, source, into)
			paths = append(paths, written...)
			if err != nil {
				return paths, err
			}
		}
	}
	return paths, nil
}

// drawn are the rates as a chart has them.
func (a *ArmChange) drawn() (rows []chart.RateChange) {
	for i := range a.Rates {
		c := &a.Rates[i]
		row := chart.RateChange{Name: c.Name, Base: c.Base.text(), Head: c.Head.text(), Difference: c.Difference, Low: c.Low, High: c.High}
		switch {
		case c.Neutral:
		case c.Evidence == Rose:
			row.Direction = 1
		case c.Evidence == Fell:
			row.Direction = -1
		}
		rows = append(rows, row)
	}
	return rows
}

// title states the change that matters most: the first rate that rose, or else the
// first that fell.
func (a *ArmChange) title() string {
	for _, evidence := range []Evidence{Rose, Fell} {
		for i := range a.Rates {
			if c := &a.Rates[i]; c.Evidence == evidence && !c.Neutral {
				return fmt.Sprintf("%s %s from %s to %s %s", c.Name, c.Evidence, c.Base.text(), c.Head.text(), c.Unit)
			}
		}
	}
	return fmt.Sprintf("No evidence of change in %s", count(len(a.Rates), "rate"))
}
