import { expect, test } from 'vitest'
import type { Activity } from '../../activity-journal.ts'
import { plain } from '../../choices/plain.ts'
import { createTellSocket } from './tell-socket.ts'

function setUp() {
  const entries: Activity[] = []
  const tell = createTellSocket({
    id: 7,
    seat: { remoteAddress: '127.0.0.1', userAgent: 'bot' },
    secretInUrl: null,
    hasSentAll: () => true,
    record: (activity) => entries.push(activity),
    observing: null,
    choices: plain,
  })
  return { tell, entries }
}

test('the journal has frames and controls, and no ticket', () => {
  const { tell, entries } = setUp()
  tell.authenticate('a secret', undefined, 'refused')
  tell.subscribe('trades:a', 'room_unknown')
  tell.frame('synchronize')
  tell.control('synchronized')
  tell.revision(8)
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

test('a flood of frames that are not read does not flood the journal', () => {
  const { tell, entries } = setUp()
  for (let count = 0; count < 1000; count++) tell.frame('limited')
  expect(entries).toHaveLength(1)
})

test('tells who ended it', () => {
  const { tell, entries } = setUp()
  tell.ending(plain.feed.closes.ticketExpired)
  tell.closed(4401)
  expect(entries.slice(1)).toEqual([
    { kind: 'socket', socket: 7, event: 'ending', closeCode: 4401 },
    { kind: 'socket', socket: 7, event: 'closed', closeCode: 4401, by: 'exchange' },
  ])
  const left = setUp()
  left.tell.closed(1000)
  expect(left.entries.at(-1)).toMatchObject({ closeCode: 1000, by: 'client' })
})
