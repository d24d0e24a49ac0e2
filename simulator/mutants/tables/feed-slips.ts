/** Breaks of the feed that show only in later events, in both copies of an event, or for one kind of room or credential. */
import { findEventPath } from '../../../contract/room-events.ts'
import { valueAt } from '../../demo-client.ts'
import type { DeviationTable } from '../deviation.ts'
import { setAt } from '../reactions.ts'
import { changed, each } from './event-symptoms.ts'
import { socket } from './socket-symptoms.ts'

const SECOND_MS = 1000

export const FEED_SLIP_SYMPTOMS = {
  'ws-slip-later-config-without-scope': {
    breaks: 'ProtocolConfigChanged has changes without a scope, except in the first event of a socket',
    rules: ['ws.event.config'],
    deviates: socket(({ choices, sent }) => ({
      message: (message) =>
        sent.get('ProtocolConfigChanged') === 1
          ? undefined
          : changed(message, 'ProtocolConfigChanged', (copy) => {
              const changes = valueAt(copy, choices.profile.events.changes) as Record<string, unknown>[] // as: the stub's body
              for (const change of changes) delete change.scope
            }),
    })),
  },
  'ws-slip-stats-twice': {
    breaks: 'each PoolStats is sent twice',
    rules: ['ws.delivery.at-most-once'],
    deviates: each('PoolStats', (event) => [event, event]),
  },
  'ws-slip-balances-twice': {
    breaks: 'each BalanceChange is sent twice',
    rules: ['ws.delivery.at-most-once'],
    deviates: each('BalanceChange', (event) => [event, event]),
  },
  'ws-slip-trades-twice-at-new-times': {
    breaks: 'each trade is sent twice, the second time with a later time',
    rules: ['ws.delivery.at-most-once'],
    deviates: socket(({ choices, clock }) => ({
      message: (message) => {
        const path = findEventPath(choices.profile.eventTime.path, 'Trade') ?? ''
        const copies = changed(message, 'Trade', (copy) =>
          setAt(copy, path, choices.wire.timestamp(clock.nowMs() + SECOND_MS)),
        )
        return copies && [message, ...copies]
      },
    })),
  },
} as const satisfies DeviationTable
