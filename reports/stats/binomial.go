package stats

import "gonum.org/v1/gonum/stat/distuv"

// ClopperPearson is the exact 95 % confidence interval of a rate of which count
// successes were seen in of independent trials (Clopper and Pearson, Biometrika
// 26, 1934). It never covers less often than it says. No trials give [0, 1]: they
// say nothing. A count outside [0, of] is taken as the nearer end.
func ClopperPearson(count, of int) Interval {
	return betaInterval(float64(count), float64(of))
}

// betaInterval is the Clopper–Pearson interval by quantiles of the beta
// distribution, which also give it a meaning for numbers that are not whole.
func betaInterval(count, of float64) Interval {
	if of <= 0 {
		return Interval{Low: 0, High: 1}
	}
	count = min(max(count, 0), of)
	const tail = (1 - Confidence) / 2
	interval := Interval{Low: 0, High: 1}
	if count > 0 {
		interval.Low = distuv.Beta{Alpha: count, Beta: of - count + 1}.Quantile(tail)
	}
	if count < of {
		interval.High = distuv.Beta{Alpha: count + 1, Beta: of - count}.Quantile(1 - tail)
	}
	return interval
}
