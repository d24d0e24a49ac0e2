import { expect, test } from 'vitest'
import { SYNTHETIC_START } from '../synthetic-run.ts'
import { watchClock } from './series-source.ts'

test.each([
  { what: 'seconds in their order', seconds: [0, 1, 2, 2, 3] },
  { what: 'samples that come late', seconds: [0, 1, 60, 5, 61] },
  { what: 'the time between two trials', seconds: [0, 1, 100, 101] },
])('says nothing of $what', ({ seconds }) => {
  expect(listNotes(seconds)).toEqual([])
})

test.each([
  { seconds: [0, 61, 0], jump: 'in series.ndjson: back by 61 s at 2026-01-02T03:05:06.000Z' },
  { seconds: [0, 1, 122], jump: 'in series.ndjson: forward by 2 min at 2026-01-02T03:04:06.000Z' },
  {
    seconds: [0, -3600, -3599, 1],
    jump: '2 times in series.ndjson, first back by 60 min at 2026-01-02T03:04:05.000Z',
  },
  { seconds: [0, 7200], jump: 'in series.ndjson: forward by 2 h at 2026-01-02T03:04:05.000Z' },
  {
    seconds: [0, -SYNTHETIC_START],
    jump: 'in series.ndjson: back by 20455 days at 2026-01-02T03:04:05.000Z',
  },
])('says that it jumped $jump', ({ seconds, jump }) => {
  expect(listNotes(seconds)).toEqual([
    `The clock of the load generator jumped ${jump}. Counts and latencies are correct; rates and times are not.`,
  ])
})

function listNotes(seconds: readonly number[]): string[] {
  const clock = watchClock('series.ndjson')
  for (const second of seconds) clock.see(SYNTHETIC_START + second)
  return clock.notes()
}

test('gives the sum of jumps: without it, seconds are continuous', () => {
  const clock = watchClock('series.ndjson')
  const seconds = [0, 1, 3601, 3602, 2, 3]
  const even = seconds.map((second) => {
    clock.see(SYNTHETIC_START + second)
    return second - clock.jumpedSeconds()
  })
  expect(even).toEqual([0, 1, 1, 2, 2, 3])
})
