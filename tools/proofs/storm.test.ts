import { expect, test } from 'vitest'
import type { Capacity } from '../../contract/capacity.ts'
import type { JournalEntry } from '../../simulator/activity-journal.ts'
import { compareRecovery, readRecovery } from './storm.ts'

const entry = (atMs: number, socket: number, more: object) =>
  ({ number: 1, atMs, kind: 'socket', socket, ...more }) as JournalEntry // as: the type of `more` is open
const closed = (atMs: number, socket: number) => entry(atMs, socket, { event: 'closed', closeCode: 1006 })
const back = (atMs: number, socket: number) => [
  entry(atMs - 10, socket, { event: 'opened' }),
  entry(atMs, socket, { event: 'sent', control: 'synchronized' }),
]

// One closes before the storm, one during it for another reason; 101 comes back, closes, and comes back as 201.
const ENTRIES = [
  closed(100, 100),
  ...Array.from({ length: 100 }, (_, at) => closed(2000 + at, at)),
  ...Array.from({ length: 100 }, (_, at) => back(3000 + 10 * at, 101 + at)).flat(),
  entry(9000, 101, { event: 'sent', control: 'synchronized' }),
]

test('the journal has the time from the first close of the storm to the last of 99 %', () => {
  expect(readRecovery(ENTRIES, 100)).toBe(3980 - 2000)
})

test('it says what is missing', () => {
  expect(readRecovery(ENTRIES.slice(0, 4), 100)).toBe('no 5 sockets closed within 1000 ms')
  expect(readRecovery(ENTRIES.slice(0, -10), 100)).toBe('95 sockets were synchronized again')
})

const capacity = (ms: number, share = 0.99) =>
  ({
    trials: [
      {
        sockets: {
          recovery: [
            { share: 0.5, ms: 10 },
            { share, ms },
          ],
        },
      },
    ],
  }) as Partial<Capacity> as Capacity // as: read only there

test.each([
  [2000, 2100, undefined],
  [2106, 2000, '2106 ms; expected 2000 ms ± 5 %, as in the journal'],
  [2000, 'no 5 sockets closed within 1000 ms', 'no 5 sockets closed within 1000 ms'],
])('%s ms against %s', (seen, ofStub, problem) => {
  expect(compareRecovery(capacity(seen), ofStub).problem).toBe(problem)
})

test('a storm that 99 % do not survive has no such time', () => {
  expect(compareRecovery(capacity(2000, 0.98), 2000).problem).toBe('fewer than 99 % were synchronized again')
})
