package reports

import (
	"fmt"

	"mcpstorm/history"
)

// executions says how often servers executed something by their own records, and of which
// servers there is none: what is known of those, the witness saw.
func executions(c history.Counts, arms []history.Arm) []string {
	var recording, silent []string
	for _, arm := range arms {
		for _, s := range arm.Servers {
			if s.Effects {
				recording = addOnce(recording, s.Name)
			} else {
				silent = addOnce(silent, s.Name)
			}
		}
	}
	var lines []string
	if len(silent) == 0 || len(recording) > 0 {
		lines = append(lines, fmt.Sprintf("%s committed, %s answered from the record", thousands(c.Commits), thousands(c.Replays)))
	}
	if len(silent) > 0 {
		lines = append(lines, fmt.Sprintf("%s %s no executions; what is said of %s below is from the witness",
			enumerate(silent), agree(len(silent), "records", "record"), agree(len(silent), "it", "them")))
	}
	return lines
}
