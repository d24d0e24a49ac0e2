package series

import (
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPowersOfTwoLieInTheBucketBelow(t *testing.T) {
	cases := map[string]struct {
		value float64
		index int32
	}{
		"one":                   {1, -1},
		"just above one":        {math.Nextafter(1, 2), 0},
		"two":                   {2, 127},
		"just below two":        {math.Nextafter(2, 1), 127},
		"just above two":        {math.Nextafter(2, 3), 128},
		"a half":                {0.5, -129},
		"1024":                  {1024, 1279},
		"largest float":         {math.MaxFloat64, 1024*128 - 1},
		"smallest normal":       {0x1p-1022, -1022*128 - 1},
		"largest subnormal":     {math.Nextafter(0x1p-1022, 0), -1022*128 - 1},
		"smallest subnormal":    {math.SmallestNonzeroFloat64, -1074*128 - 1},
		"three subnormal steps": {3 * math.SmallestNonzeroFloat64, -1073*128 + 74},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			if got := bucketIndex(want.value); got != want.index {
				t.Errorf("bucketIndex(%g) = %d, want %d", want.value, got, want.index)
			}
		})
	}
}

func TestFloatsBesideEveryEdgeLieInTheBucketOfTheDefinition(t *testing.T) {
	for _, exponent := range []int{-1074, -1070, -1060, -1030, -1022, -1, 0, 1, 10, 52, 1023} {
		for k := range bucketsPerOctave + 1 {
			edge := math.Ldexp(math.Pow(2, float64(k)/bucketsPerOctave), exponent)
			below, above := math.Nextafter(edge, 0), math.Nextafter(edge, math.Inf(1))
			for _, value := range []float64{math.Nextafter(below, 0), below, edge, above, math.Nextafter(above, math.Inf(1))} {
				if value > 0 && !math.IsInf(value, 1) {
					mustHoldInDefinition(t, value)
				}
			}
		}
	}
}

func TestAnyFloatLiesInTheBucketOfTheDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for range 5_000 {
		value := math.Float64frombits(random.Uint64() >> 1)
		if value > 0 && value <= math.MaxFloat64 {
			mustHoldInDefinition(t, value)
		}
	}
}

// The definition, base^i < value <= base^(i+1) with base = 2^(1/128), in integers: 2^i < value^128 <=
// 2^(i+1).
func mustHoldInDefinition(t *testing.T, value float64) {
	t.Helper()
	fraction, exponent := math.Frexp(value)
	power := new(big.Int).Exp(big.NewInt(int64(fraction*(1<<53))), big.NewInt(bucketsPerOctave), nil)
	powerExponent := (exponent - 53) * bucketsPerOctave // value^128 = power * 2^powerExponent

	// 2^n < power <= 2^(n+1) gives n, because power-1 has n+1 bits.
	n := new(big.Int).Sub(power, big.NewInt(1)).BitLen() - 1
	if got, want := bucketIndex(value), int32(n+powerExponent); got != want {
		t.Fatalf("bucketIndex(%x) = %d, by the definition it is %d", value, got, want)
	}
}

func FuzzBucketHoldsItsValue(f *testing.F) {
	for _, bits := range []uint64{1, 0x3ff0000000000000, 0x3ff0000000000001, 0x4000000000000000, 0x7fefffffffffffff} {
		f.Add(bits)
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		value := math.Float64frombits(bits &^ (1 << 63))
		if value > 0 && value <= math.MaxFloat64 {
			mustHoldInDefinition(t, value)
		}
	})
}

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
