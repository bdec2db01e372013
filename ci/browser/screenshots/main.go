// Command screenshots takes pictures of reports: for every RUN=NAME that it is given, of
// the report in the directory RUN, as docs/NAME-1280.png and docs/NAME-380.png. With
// -pdf DIR it prints them there as well.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcpstorm/ci/browser"
	"mcpstorm/reports"
)

func main() {
	out := flag.String("out", "docs", "where the pictures go")
	pdf := flag.String("pdf", "", "where the prints go; nowhere if empty")
	most := flag.Float64("most", 0, "how many pixels from the top; 0 for the whole page")
	dark := flag.Bool("dark", false, "as a reader sees them who prefers dark pages")
	flag.Parse()
	if err := take(flag.Args(), *out, *pdf, *most, *dark); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func take(runs []string, out, pdf string, most float64, dark bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	b, err := browser.Start(ctx, os.TempDir())
	if err != nil {
		return err
	}
	defer b.Close()
	for _, one := range runs {
		dir, name, ok := strings.Cut(one, "=")
		if !ok {
			return fmt.Errorf("%s: want RUN=NAME", one)
		}
		for _, width := range []int{1280, 380} {
			view := browser.View{Width: width, Height: 900, Dark: dark}
			page, err := b.Open(filepath.Join(dir, reports.HTMLFile), view)
			if err != nil {
				return err
			}
			picture, err := page.Picture(most)
			if err != nil {
				return err
			}
			if err := save(filepath.Join(out, fmt.Sprintf("%s-%d.png", name, width)), picture); err != nil {
				return err
			}
			if pdf == "" || width != 1280 {
				continue
			}
			paper, err := page.PDF()
			if err != nil {
				return err
			}
			if err := save(filepath.Join(pdf, name+".pdf"), paper); err != nil {
				return err
			}
		}
	}
	return nil
}

func save(path string, data []byte) error {
	fmt.Println(path)
	return os.WriteFile(path, data, 0o644)
}
