package series

import (
	"cmp"
	"slices"
)

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
