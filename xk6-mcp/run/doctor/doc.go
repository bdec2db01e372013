// Package doctor measures the host: what it allows, how late its timers fire, and
// how many rollouts it carries before its own limits would be booked as the
// target's. It drives real runs without faults for that, through everything that a
// storm passes, so its answer holds for this host, this build and this hour.
package doctor
