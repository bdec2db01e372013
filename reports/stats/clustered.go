package stats

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
// Where no spread was seen, because nothing or everything was counted, a cluster
// is worth one trial; a bootstrap would claim certainty there.
func Clustered(clusters []Cluster) Interval {
	var count, of, used float64
	for _, c := range clusters {
		if c.Of > 0 {
			count += float64(c.Count)
			of += float64(c.Of)
			used++
		}
	}
	if of == 0 {
		return Interval{Low: 0, High: 1}
	}
	rate := count / of
	worth := effective(clusters, rate, of, used)
	return betaInterval(rate*worth, worth)
}

// effective is how many independent trials the clusters are worth: at least one
// each, at most one for each trial.
func effective(clusters []Cluster, rate, of, used float64) float64 {
	if rate <= 0 || rate >= 1 || used < 2 {
		return used
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
	return min(max(rate*(1-rate)/variance, used), of)
}
