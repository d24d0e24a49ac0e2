package arrivals

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// readGaps reads a recorded timeline: a text file with the seconds of one arrival per line, in order. Empty lines and lines
// that begin with # are skipped. It returns the gaps in units of their mean.
func readGaps(path string) ([]float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the arrivals: %w", err)
	}
	defer file.Close()
	var gaps []float64
	var sum float64
	before := math.NaN()
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(seconds) || math.IsInf(seconds, 0) || seconds < before {
			return nil, fmt.Errorf("%s, line %d: must be the seconds of an arrival, not before the line above", path, number)
		}
		if !math.IsNaN(before) {
			gaps = append(gaps, seconds-before)
			sum += seconds - before
		}
		before = seconds
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cannot read the arrivals: %w", err)
	}
	if sum <= 0 {
		return nil, errors.New(path + ": must have arrivals at two times at least")
	}
	mean := sum / float64(len(gaps))
	for i := range gaps {
		gaps[i] /= mean
	}
	return gaps, nil
}

// repeat begins again after the last gap, a mean gap later.
func repeat(gaps []float64) func() float64 {
	next := 0
	return func() float64 {
		if next == len(gaps) {
			next = 0
			return 1
		}
		next++
		return gaps[next-1]
	}
}
