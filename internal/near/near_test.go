package near

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"thresholds", "scenarios", "vus", "iterations", "duration", "stages", "k6/x/mcp"}
	tests := []struct{ name, want string }{
		{"threshold", "thresholds"},
		{"Thresholds", "thresholds"},
		{"scenraios", "scenarios"},
		{"vu", "vus"},
		{"iter", "iterations"},
		{"k6/x/mpc", "k6/x/mcp"},
		{"rps", ""},
		{"noConnectionReuse", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := Nearest(tt.name, known); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestOneLetterIsLikeNoOther(t *testing.T) {
	if got := Nearest("x", []string{"t"}); got != "" {
		t.Errorf("Nearest gives %q", got)
	}
	if got := Nearest("T", []string{"t"}); got != "t" {
		t.Errorf("Nearest gives %q, want the letter in the other case", got)
	}
}

func TestSuggestionAfter(t *testing.T) {
	known := []string{"FM-01", "FM-05", "FM-26a"}
	for name, want := range map[string]string{
		"FM-99": "", "FM-5": `; did you mean "FM-05"?`, "fm-26A": `; did you mean "FM-26a"?`, "FM-26": `; did you mean "FM-26a"?`, "05": `; did you mean "FM-05"?`,
	} {
		if got := SuggestionAfter("FM-", name, known); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		from, to string
		want     int
	}{
		{"", "", 0},
		{"a", "", 1},
		{"", "ab", 2},
		{"abc", "abc", 0},
		{"abc", "acb", 1},
		{"kitten", "sitting", 3},
		{"über", "uber", 1},
	}
	for _, tt := range tests {
		if got := distance(tt.from, tt.to); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.from, tt.to, got, tt.want)
		}
	}
}
