package series

import (
	"math"
	"math/big"
	"math/rand/v2"
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
