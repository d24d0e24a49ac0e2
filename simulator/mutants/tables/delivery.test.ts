import { expect, test } from 'vitest'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import type { Choices } from '../../choices/choices.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createClock } from '../../clock.ts'
import type { Message } from '../deviation.ts'
import { findDeviation, type MutantName } from '../mutants.ts'

/** The messages sent instead of this one; undefined: the message itself. */
function sent(mutant: MutantName, message: Message, choices: Choices = defaultChoices) {
  const own = findDeviation(mutant)?.socket?.(
    {
      number: 1,
      openedAtMs: 0,
      authorization: undefined,
      cookie: undefined,
      clock: createClock({ startMs: 0 }),
      choices,
      address: null,
      rooms: new Set(),
      received: new Map(),
      sent: new Map(),
    },
    { history: [], sockets: [], restarted: false, memory: new Map() },
  )
  return own?.message?.(message)
}

test('a mutant changes its own type of event and no other', () => {
  expect(sent('ws-no-stats', { type: 'Trade', data: {} })).toBeUndefined()
  expect(sent('ws-no-stats', { type: 'PoolStats', data: {} })).toEqual([])
})

test('finds the key wherever the choices put it, and leaves the event itself alone', () => {
  const launch = { type: 'PoolLaunch', data: { event: { listed: 'key1', ref: 'r' } } }
  const cut = { ...launch, data: { event: { listed: 'key', ref: 'r' } } }
  expect(sent('ws-launch-key-cut', launch, alternativeChoices)).toEqual([cut])
  expect(launch.data.event.listed).toBe('key1')
})

test.each([
  [7, 1007],
  ['7', '1007'],
])('a revision ahead keeps its spelling: %j', (revision, ahead) => {
  const config = { type: 'ProtocolConfigChanged', data: { revision, observed_block: 1 } }
  expect(sent('ws-config-ahead', config)).toEqual([
    { ...config, data: { revision: ahead, observed_block: 1 } },
  ])
})
