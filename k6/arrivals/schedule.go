package arrivals

import (
	"hash/fnv"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"go.k6.io/k6/v2/lib"
)

// process returns the gaps between arrivals at a mean rate of one per second. The first arrival is at the start, or a gap later.
type process struct {
	beginsWithGap bool
	gaps          func() func() float64
}

// unit is the process that the rates of the stages stretch.
func (c Config) unit() (process, error) {
	switch c.Arrivals {
	case trace:
		gaps, err := readGaps(c.File)
		return process{gaps: func() func() float64 { return repeat(gaps) }}, err
	case poisson:
		// It depends on the name: scenarios of one load do not arrive in step.
		name := fnv.New64a()
		_, _ = name.Write([]byte(c.Name)) // never fails
		draw := func() func() float64 { return rand.New(rand.NewPCG(c.Seed, name.Sum64())).ExpFloat64 }
		return process{beginsWithGap: true, gaps: draw}, nil
	default:
		return process{gaps: func() func() float64 { return func() float64 { return 1 } }}, nil
	}
}

// schedule returns when the iterations of all processes are due, after the start, in order. The arrival of the unit process at
// `x` seconds is due when the rates have added up to x.
func (c Config) schedule(unit process) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		next, mine := unit.gaps(), c.chooser()
		var x, begin, sum float64 // seconds of the unit process; seconds and arrivals before the stage
		if unit.beginsWithGap {
			x = next()
		}
		for _, stage := range c.Stages {
			size := stage.Seconds * (stage.From + stage.To) / 2
			for ; x < sum+size; x += next() {
				if mine() && !yield(inSeconds(begin+stage.reach(x-sum))) {
					return
				}
			}
			begin += stage.Seconds
			sum += size
		}
	}
}

// Part is the share of the arrivals that belongs to a scenario, as a range of a number drawn for each. Scenarios with the
// same stages, seed and trace and adjoining parts together start each arrival once.
type Part struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

func (c Config) chooser() func() bool {
	if c.Part.From <= 0 && c.Part.To >= 1 {
		return func() bool { return true }
	}
	draw := rand.New(rand.NewPCG(c.Seed, 0)).Float64
	return func() bool {
		drawn := draw()
		return drawn >= c.Part.From && drawn < c.Part.To
	}
}

// reach returns the second at which the stage has had x arrivals: the root of From·t + slope·t²/2 = x, in the
// form that is exact for small slopes.
func (s Stage) reach(x float64) float64 {
	if x == 0 {
		return 0
	}
	slope := (s.To - s.From) / s.Seconds
	root := math.Sqrt(max(0, s.From*s.From+2*slope*x))
	return min(s.Seconds, 2*x/(s.From+root))
}

// of keeps the iterations of one process.
func of(segment *lib.ExecutionTuple, all iter.Seq[time.Duration]) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		ours, offsets, _ := segment.GetStripedOffsets()
		var number int64
		var taken int
		for due := range all {
			if number == ours {
				if !yield(due) {
					return
				}
				ours += offsets[taken%len(offsets)]
				taken++
			}
			number++
		}
	}
}
