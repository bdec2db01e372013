package stats

import "gonum.org/v1/gonum/stat/distuv"

// Cluster is what one rollout adds to a rate over operations: count of its of
// operations.
type Cluster struct {
	Count, Of int
}

// Clustered is the 95 % confidence interval of a rate over trials that come in
// clusters, as operations come in rollouts. Trials of one cluster share a fate,
// so they are worth less than as many independent ones: the interval is that of
// Clopper and Pearson with the effective sample size, which is taken from the
// spread between the clusters (Korn and Graubard, Survey Methodology 24, 1998).
// Where no spread was seen, because nothing or everything was counted, a whole
// cluster is taken to share its fate; a bootstrap would claim certainty there. The
// interval covers less often than it says where a handful of large clusters hold
// most of the trials: their spread cannot be known from so few.
func Clustered(clusters []Cluster) Interval {
	rate, worth := Worth(clusters)
	return betaInterval(rate*worth, worth)
}

// Worth is the rate over all clusters, and how many independent trials they are worth
// for it: both are zero where there are no trials.
func Worth(clusters []Cluster) (rate, trials float64) {
	var count, of, squares, used float64
	for _, c := range clusters {
		if c.Of > 0 {
			count += float64(c.Count)
			of += float64(c.Of)
			squares += float64(c.Of) * float64(c.Of)
			used++
		}
	}
	if of == 0 {
		return 0, 0
	}
	rate = count / of
	return rate, effective(clusters, rate, of, of*of/squares, used)
}

// effective is how many independent trials the clusters are worth: at most one for
// each trial, and at least what they are worth where each shares one fate whole.
// That is least, Kish's effective size (Survey Sampling, 1965): the number of
// clusters where they are of one size, and fewer where they are not.
func effective(clusters []Cluster, rate, of, least, used float64) float64 {
	if rate <= 0 || rate >= 1 || used < 2 {
		return least
	}
	var squares float64 // of the residuals, by linearisation of the ratio
	for _, c := range clusters {
		residual := float64(c.Count) - rate*float64(c.Of)
		squares += residual * residual
	}
	if squares == 0 { // every cluster has the very same rate: no spread at all
		return of
	}
	variance := used / (used - 1) * squares / (of * of)
	uncertain := reach(distuv.UnitNormal) / reach(distuv.StudentsT{Sigma: 1, Nu: max(least-1, 1)})
	return min(max(rate*(1-rate)/variance*uncertain*uncertain, least), of)
}

// reach is how far the interval reaches to either side, in standard deviations.
func reach(d distuv.Quantiler) float64 { return d.Quantile(1 - (1-Confidence)/2) }
