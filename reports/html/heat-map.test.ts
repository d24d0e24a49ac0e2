import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addPart, createHistogram, type Histogram } from '../statistics/histogram.ts'
import { bucketsOf } from '../synthetic-run.ts'
import { heatMap } from './heat-map.ts'

test('requests stand in the row of what they took, window by window', () => {
  // 1 and 1.5 ms within one octave, 3 ms in the next: rows of an eighth of an octave.
  const map = heatMap([histogramOf([1, 1.5, 1.5]), undefined, histogramOf([3])])
  expect(map).toMatchObject({ rowsPerOctave: 8, lowestRow: -1, rows: 14, zeros: null })
  expect(map?.columns).toEqual([[0, 1, ...Array<number>(4).fill(0), 2], [], [13, 1]])
})

test('rows are finer where there are more requests, and coarser where latencies lie far apart', () => {
  const rowsOf = (copies: number, greatest: number) =>
    heatMap([histogramOf(Array(copies).fill([0.5, greatest]).flat())])?.rowsPerOctave
  expect([rowsOf(1, 4), rowsOf(50, 4)]).toEqual([4, 16])
  expect([rowsOf(1, 100_000), rowsOf(50, 100_000)]).toEqual([1, 2])
})

test('requests that took no time stand apart, and without any other there is no map', () => {
  expect(heatMap([histogramOf([0, 0, 4]), histogramOf([])])?.zeros).toEqual([2, 0])
  expect(heatMap([histogramOf([0])])).toBeNull()
  expect(heatMap([])).toBeNull()
})

test('no request is lost, and each lies within the bounds of its row', () => {
  const sample = fc.double({ min: 0.001, max: 1e6, noNaN: true })
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 40 }), (samples) => {
      const map = heatMap([histogramOf(samples)])
      const [skipped = 0, ...counts] = map?.columns[0] ?? []
      const { rowsPerOctave = 1, lowestRow = 0 } = map ?? {}
      const top = (row: number) => 2 ** ((lowestRow + skipped + row + 1) / rowsPerOctave)
      let seen = 0
      for (const [row, count] of counts.entries()) {
        seen += count
        expect(samples.filter((each) => each <= top(row) * (1 + 1e-9)).length).toBeGreaterThanOrEqual(seen)
      }
      expect(seen).toBe(samples.length)
    }),
    { seed: 1 },
  )
})

function histogramOf(samples: readonly number[]): Histogram {
  const histogram = createHistogram()
  if (samples.length === 0) return histogram
  addPart(histogram, {
    count: samples.length,
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: samples.filter((sample) => sample === 0).length,
    buckets: bucketsOf(samples.filter((sample) => sample > 0)),
  })
  return histogram
}
