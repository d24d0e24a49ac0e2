package series

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// scale of an OpenTelemetry exponential histogram: a bucket's upper edge is 2^(2^-scale) times its lower one.
// Bucket i holds the values in (2^(i/128), 2^((i+1)/128)].
// https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
const scale = 7

const bucketsPerOctave = 1 << scale

// edges holds 2^(k/128) for k from 0 to 128, rounded down. Only 1 and 2 are rational, so for any float64 x, x
// <= 2^(k/128) exactly when x <= edges[k]: no logarithm and no rounding error near an edge.
var edges = computeEdges()

// bucketIndex is exact for every finite positive value, including subnormals.
func bucketIndex(value float64) int32 {
	fraction, exponent := math.Frexp(value) // fraction in [0.5, 1)
	position, _ := slices.BinarySearch(edges[:], 2*fraction)
	return int32((exponent-1)*bucketsPerOctave + position - 1)
}

// hasBucket is false if readers have no bucket for a value: reports/statistics/histogram.ts, BUCKET_INDEX_MAX.
func hasBucket(value float64) bool {
	size := math.Abs(value)
	return size == 0 || size > 0x1p-64 && size <= 0x1p64
}

func computeEdges() (result [bucketsPerOctave + 1]float64) {
	const bits = 200 // far more than 53, so that the final rounding down is correct
	base := big.NewFloat(2).SetPrec(bits)
	for range scale {
		base.Sqrt(base)
	}
	edge := big.NewFloat(1).SetPrec(bits)
	for k := range bucketsPerOctave {
		result[k], _ = new(big.Float).SetMode(big.ToZero).SetPrec(53).Set(edge).Float64()
		edge.Mul(edge, base)
	}
	result[bucketsPerOctave] = 2
	return result
}

// buckets is a sparse histogram: [index, count] pairs sorted by index, as in the file.
type buckets [][2]int64

func (b *buckets) add(index int32) {
	position, found := slices.BinarySearchFunc(*b, int64(index), func(bucket [2]int64, index int64) int {
		return cmp.Compare(bucket[0], index)
	})
	if !found {
		*b = slices.Insert(*b, position, [2]int64{int64(index), 0})
	}
	(*b)[position][1]++
}
