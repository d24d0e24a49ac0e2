package series

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"time"

	"go.k6.io/k6/v2/metrics"
)

const format = 2

// The field order is the order in the file.
type (
	headerLine struct {
		Type   string `json:"type"`
		Format int    `json:"format"`
		K6     string `json:"k6"`
		Start  string `json:"start"`
		Scale  int    `json:"scale"`
	}
	endLine struct {
		Type    string `json:"type"`
		Time    string `json:"time"`
		Samples uint64 `json:"samples"`
	}
	// countLine is the complete line of a counter or rate, and the beginning of the others.
	countLine struct {
		Time     int64             `json:"time"`
		Metric   string            `json:"metric"`
		Type     string            `json:"type"`
		Contains string            `json:"contains"`
		Tags     map[string]string `json:"tags"` // encoding/json sorts keys
		Count    uint64            `json:"count"`
		Sum      float64           `json:"sum"`
	}
	gaugeLine struct {
		countLine
		Min  float64 `json:"min"`
		Max  float64 `json:"max"`
		Last float64 `json:"last"`
	}
	trendLine struct {
		countLine
		Min      float64 `json:"min"`
		Max      float64 `json:"max"`
		Zero     uint64  `json:"zero"`
		Buckets  buckets `json:"buckets"`
		Negative buckets `json:"negative,omitempty"`
	}
)

func encodeHeader(k6Version string, start time.Time) []byte {
	return encode(headerLine{"header", format, k6Version, timestamp(start), scale})
}

func encodeEnd(end time.Time, samples uint64) []byte {
	return encode(endLine{"end", timestamp(end), samples})
}

func encodeCells(cells map[cellKey]*cell) [][]byte {
	lines := make([][]byte, 0, len(cells))
	for key, c := range cells {
		lines = append(lines, encode(newLine(key, c)))
	}
	return lines
}

// sortLines sorts the lines as text, so by time, metric and tags: equal cells give equal bytes.
func sortLines(lines [][]byte) []byte {
	slices.SortFunc(lines, bytes.Compare)
	return slices.Concat(lines...)
}

func newLine(key cellKey, c *cell) any {
	metric := key.series.Metric
	line := countLine{
		Time: key.second, Metric: metric.Name, Type: metric.Type.String(), Contains: metric.Contains.String(),
		Tags: key.series.Tags.Map(), Count: c.count, Sum: finite(c.sum),
	}
	switch metric.Type {
	case metrics.Gauge:
		return gaugeLine{line, c.min, c.max, c.last}
	case metrics.Trend:
		return trendLine{line, c.min, c.max, c.zero, c.buckets, c.negative}
	default:
		return line
	}
}

// finite clamps a sum that overflowed to the range of JSON numbers.
func finite(sum float64) float64 { return max(-math.MaxFloat64, min(math.MaxFloat64, sum)) }

// encode cannot fail: lines contain only strings and finite numbers.
func encode(line any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		panic(err)
	}
	return buffer.Bytes()
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
