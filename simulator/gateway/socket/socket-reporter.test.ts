import { expect, test } from 'vitest'
import type { Activity } from '../../activity-journal.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createSocketReporter } from './socket-reporter.ts'

function setUp() {
  const entries: Activity[] = []
  const report = createSocketReporter({
    id: 7,
    seat: { remoteAddress: '127.0.0.1', userAgent: 'bot' },
    arrivedMs: 0,
    secretInUrl: null,
    hasSentAll: () => true,
    releasedMs: () => Number.NEGATIVE_INFINITY,
    record: (activity) => entries.push(activity),
    observing: null,
    choices: defaultChoices,
  })
  return { report, entries }
}

test('the journal has frames and controls, but no tickets', () => {
  const { report, entries } = setUp()
  report.authenticate('a secret', undefined, 'refused')
  report.subscribe('trades:a', 'room_unknown')
  report.frame('synchronize')
  report.control('synchronized')
  report.revision(8)
  expect(entries).toEqual([
    { kind: 'socket', socket: 7, event: 'opened' },
    { kind: 'socket', socket: 7, event: 'frame', action: 'authenticate', outcome: 'refused' },
    {
      kind: 'socket',
      socket: 7,
      event: 'frame',
      action: 'subscribe',
      room: 'trades:a',
      refused: 'room_unknown',
    },
    { kind: 'socket', socket: 7, event: 'frame', action: 'synchronize' },
    { kind: 'socket', socket: 7, event: 'sent', control: 'synchronized' },
    { kind: 'socket', socket: 7, event: 'sent', type: 'ProtocolConfigChanged', revision: 8 },
  ])
})

test('a subscribe frame for a joined room is a frame too', () => {
  const { report, entries } = setUp()
  report.frame('subscribe again', 'trades:a')
  const frame = { event: 'frame', action: 'subscribe', room: 'trades:a' }
  expect(entries.slice(1)).toEqual([{ kind: 'socket', socket: 7, ...frame }])
})

test('a flood of ignored frames does not flood the journal', () => {
  const { report, entries } = setUp()
  for (let count = 0; count < 1000; count++) report.frame('limited')
  expect(entries).toHaveLength(1)
})

test('reports who ended it', () => {
  const { report, entries } = setUp()
  report.ending(defaultChoices.feed.closes.ticketExpired)
  report.closed(4401)
  expect(entries.slice(1)).toEqual([
    { kind: 'socket', socket: 7, event: 'ending', closeCode: 4401 },
    { kind: 'socket', socket: 7, event: 'closed', closeCode: 4401, by: 'exchange' },
  ])
  const left = setUp()
  left.report.closed(1000)
  expect(left.entries.at(-1)).toMatchObject({ closeCode: 1000, by: 'client' })
})
