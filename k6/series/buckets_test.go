package series

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestThreePartsOfAStreamAddUpToTheWhole(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		whole, parts := cell{}, [3]cell{}
		for range 2_000 {
			value := []float64{0, math.Exp(4 * random.NormFloat64()), -random.Float64()}[random.IntN(3)]
			whole.addToHistogram(value)
			parts[random.IntN(3)].addToHistogram(value)
		}

		zero, positive, negative := uint64(0), map[int64]int64{}, map[int64]int64{}
		for _, part := range parts {
			zero += part.zero
			addUp(positive, part.buckets)
			addUp(negative, part.negative)
		}
		if zero != whole.zero || !slices.Equal(sorted(positive), whole.buckets) || !slices.Equal(sorted(negative), whole.negative) {
			t.Fatalf("seed %d: the parts differ from the whole", seed)
		}
	}
}

func TestQuantilesOfHeavyTailsErrByAtMostThreeInAThousand(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	distributions := map[string]func() float64{
		"log-normal":    func() float64 { return math.Exp(3 + 1.5*random.NormFloat64()) },
		"Pareto":        func() float64 { return math.Pow(1-random.Float64(), -1/1.1) },
		"latency in µs": func() float64 { return 1e-3 * math.Exp(random.ExpFloat64()) },
	}
	for name, draw := range distributions {
		t.Run(name, func(t *testing.T) {
			values, c := make([]float64, 50_000), cell{}
			for i := range values {
				values[i] = draw()
				c.addToHistogram(values[i])
			}
			slices.Sort(values)
			for _, quantile := range []float64{0.001, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999} {
				rank := int64(math.Ceil(quantile * float64(len(values))))
				exact, estimate := values[rank-1], c.buckets.valueAt(rank)
				if relative := math.Abs(estimate-exact) / exact; relative > 0.003 {
					t.Errorf("quantile %g: %g instead of %g, off by %.2f %%", quantile, estimate, exact, 100*relative)
				}
			}
		})
	}
}

func TestABucketThatIsSharedCountsAndStaysSorted(t *testing.T) {
	var b buckets
	for _, index := range []int32{5, -3, 5, 9, -3, 5} {
		b.add(index)
	}
	if want := (buckets{{-3, 2}, {5, 3}, {9, 1}}); !slices.Equal(b, want) {
		t.Errorf("got %v, want %v", b, want)
	}
}

// valueAt reads a percentile: the midpoint of the bucket that contains the rank.
func (b buckets) valueAt(rank int64) float64 {
	for _, bucket := range b {
		if rank -= bucket[1]; rank <= 0 {
			return math.Exp2((float64(bucket[0]) + 0.5) / bucketsPerOctave)
		}
	}
	return math.NaN()
}

func addUp(total map[int64]int64, part buckets) {
	for _, bucket := range part {
		total[bucket[0]] += bucket[1]
	}
}

func sorted(total map[int64]int64) (result buckets) {
	for _, index := range slices.Sorted(maps.Keys(total)) {
		result = append(result, [2]int64{index, total[index]})
	}
	return result
}
