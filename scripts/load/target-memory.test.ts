import { expect, test } from 'vitest'
import { measureMemory, summarizeMemory } from './target-memory.ts'

const scrape = (atMs: number, residentBytes: number | null, heapBytes: number | null = null) => ({
  ...{ atMs, residentBytes, heapBytes },
})
const TIMES = { opensMs: 2000, dueMs: 5000, endsMs: 9000 }

const RESIDENT = [
  ...[scrape(0, 100), scrape(1000, 104), scrape(1999, 101)],
  // While sockets open.
  ...[scrape(2000, 500), scrape(4999, 500)],
  ...[scrape(5000, 140), scrape(7000, 150), scrape(9000, 142)],
  scrape(9001, 500),
]

test('takes the medians before the first socket and once all were due', () => {
  expect(summarizeMemory(RESIDENT, TIMES)).toEqual({ kind: 'resident', beforeBytes: 101, afterBytes: 142 })
})

test('takes the heap if no resident memory is shown', () => {
  const scrapes = RESIDENT.map(({ atMs, residentBytes }) => scrape(atMs, null, residentBytes))
  expect(summarizeMemory(scrapes, TIMES)).toEqual({ kind: 'heap', beforeBytes: 101, afterBytes: 142 })
})

test.each([
  ['nothing before', RESIDENT.slice(3)],
  ['nothing after', RESIDENT.slice(0, 5)],
  ['no memory', RESIDENT.map(({ atMs }) => scrape(atMs, null))],
])('%s is too little', (_, scrapes) => {
  expect(summarizeMemory(scrapes, TIMES)).toBeNull()
})

const OFFERED = { count: 100, openedPerSecond: 100, vus: 5, dueAfterSeconds: 4 }

test('the times are those of the load', () => {
  const watch = { memory: (times: typeof TIMES) => summarizeMemory(RESIDENT, times) }
  expect(measureMemory({ watch, startMs: 1000, endsMs: 9000, offered: OFFERED })).toEqual({
    ...{ kind: 'resident', beforeBytes: 101, afterBytes: 142, sockets: 100 },
  })
  expect(measureMemory({ watch, startMs: null, endsMs: 9000, offered: OFFERED })).toBeUndefined()
  expect(measureMemory({ watch, startMs: 1000, endsMs: 9000, offered: undefined })).toBeUndefined()
})
