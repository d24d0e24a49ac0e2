import type { EventType } from '../../../contract/room-events.ts'
import type { Choices } from '../../choices/choices.ts'
import { valueAt } from '../../demo-client.ts'
import type { Deviation, DeviationRequest, DeviationTable, Message } from '../deviation.ts'
import { error, poolPath, rest, setAt } from '../reactions.ts'
import { socket } from './socket-symptoms.ts'

export const EVENT_SYMPTOMS = {
  'ws-stats-lower-case': lowerCase('PoolStats', 'ws.rooms.pool-stats'),
  'ws-trades-lower-case': lowerCase('Trade', 'ws.rooms.trades'),
  'ws-candles-lower-case': lowerCase('Ohlcv', 'ws.rooms.ohlcv'),
  'ws-launches-lower-case': lowerCase('PoolLaunch', 'ws.rooms.pool-launches'),
  'ws-config-lower-case': lowerCase('ProtocolConfigChanged', 'ws.rooms.protocol-config'),
  'ws-config-not-to-all': {
    breaks: "ProtocolConfigChanged is sent only to the first of a wallet's sockets that join its room",
    rules: ['ws.rooms.protocol-config'],
    deviates: socket((own, { sockets }) => ({
      message: ({ type }) => {
        if (type !== 'ProtocolConfigChanged') return undefined
        const first = sockets.find(
          ({ address, rooms }) => address === own.address && rooms.has('protocol_config'),
        )
        return first === own ? undefined : []
      },
    })),
  },
  'ws-launch-key-padded': {
    breaks: 'PoolLaunch has white space after the pool key',
    rules: ['ws.launch.readable'],
    deviates: socket(({ choices }) => ({
      message: (message) =>
        changed(message, 'PoolLaunch', (copy) =>
          setAt(copy, poolPath(copy, choices), `${readPoolKey(copy, choices)} `),
        ),
    })),
  },
  'ws-launch-unlisted-404': {
    breaks: '/pools/{key} returns 404 until a list has shown the pool',
    rules: ['ws.launch.readable'],
    deviates: rest(['GET /pools', 'GET /pools/:key', 'GET /explore/pools'], {
      when: isUnlisted,
      reply: error(404),
    }),
  },
  'ws-config-next': {
    breaks: 'ProtocolConfigChanged has a revision that is ten too high',
    rules: ['ws.config.agrees'],
    deviates: socket(() => ({
      message: (message) =>
        changed(message, 'ProtocolConfigChanged', ({ data }) => {
          const { revision } = data
          data.revision = typeof revision === 'number' ? revision + 10 : String(Number(revision) + 10)
        }),
    })),
  },
  'ws-event-data-text': {
    breaks: '`data` of candles is JSON as a string',
    rules: ['ws.event.shape'],
    deviates: each('Ohlcv', (candle) => [{ ...candle, data: JSON.stringify(candle.data) }]),
  },
  'ws-amounts-are-numbers': {
    breaks: 'amounts of trades are JSON numbers',
    rules: ['ws.event.exact-values'],
    deviates: numbers('Trade', ['amount0', 'amount1']),
  },
  'ws-volumes-are-numbers': {
    breaks: 'volumes of candles are JSON numbers',
    rules: ['ws.event.exact-values'],
    deviates: numbers('Ohlcv', ['volume0', 'volume1']),
  },
  'ws-volumes-grouped': {
    breaks: 'volumes of candles are grouped by commas',
    rules: ['ws.event.exact-values'],
    deviates: socket(() => ({
      message: (message) =>
        changed(message, 'Ohlcv', ({ data }) => {
          for (const field of ['volume0', 'volume1']) data[field] = `1,${String(data[field])}`
        }),
    })),
  },
  'ws-roots-are-numbers': {
    breaks: 'square roots of prices are JSON numbers',
    rules: ['ws.event.exact-values'],
    deviates: numbers('PoolStats', ['sqrt_price_x96']),
  },
  'ws-config-without-changes': {
    breaks: 'ProtocolConfigChanged does not list the changes',
    rules: ['ws.event.config'],
    deviates: socket(({ choices }) => ({
      message: (message) =>
        changed(message, 'ProtocolConfigChanged', (copy) =>
          setAt(copy, choices.profile.events.changes, undefined),
        ),
    })),
  },
  'ws-config-without-scope': {
    breaks: 'the changes of ProtocolConfigChanged have no scope',
    rules: ['ws.event.config'],
    deviates: socket(({ choices }) => ({
      message: (message) =>
        changed(message, 'ProtocolConfigChanged', (copy) => {
          const changes = valueAt(copy, choices.profile.events.changes) as Record<string, unknown>[] // as: the stub's body
          for (const change of changes) delete change.scope
        }),
    })),
  },
  'ws-every-fifth-trade-twice': {
    breaks: 'every fifth trade is sent twice',
    rules: ['ws.delivery.at-most-once'],
    deviates: socket(({ sent }) => ({
      message: (message) =>
        message.type === 'Trade' && (sent.get('Trade') ?? 0) % 5 === 0 ? [message, message] : undefined,
    })),
  },
  'ws-trades-again': {
    breaks: 'each trade is sent again with the one after the next',
    rules: ['ws.delivery.at-most-once'],
    // The earlier one may be of a room that was left.
    sometimes: ['ws.rooms.unsubscribe'],
    deviates: socket(() => {
      const before: Message[] = []
      return {
        message: (message) => {
          if (message.type !== 'Trade') return undefined
          before.push(message)
          return before.length > 2 ? [message, before.at(-3) ?? message] : [message]
        },
      }
    }),
  },
} as const satisfies DeviationTable

/** Replaces each event of that type. */
export function each(type: EventType, change: (event: Message) => readonly Message[]): Deviation {
  return socket(() => ({ message: (message) => (message.type === type ? change(message) : undefined) }))
}

function lowerCase(type: EventType, rule: string) {
  return {
    breaks: `events of type ${type} come as ${type.toLowerCase()}`,
    rules: [rule],
    deviates: each(type, (event) => [{ ...event, type: type.toLowerCase() }]),
  }
}

export type Copy = Message & { data: Record<string, unknown> }

export function changed(
  message: Message,
  type: EventType,
  change: (copy: Copy) => void,
): readonly Message[] | undefined {
  if (message.type !== type) return undefined
  const copy = structuredClone(message) as Copy // as: every event has data
  change(copy)
  return [copy]
}

function readPoolKey(message: Message, choices: Choices): string {
  return String(valueAt(message, poolPath(message, choices)))
}

export function numbers(type: EventType, fields: readonly string[]): Deviation {
  return socket(() => ({
    message: (message) =>
      changed(message, type, ({ data }) => {
        for (const field of fields) data[field] = Number(data[field])
      }),
  }))
}

/** Matches responses to a key that no list has shown; never matches lists. */
function isUnlisted() {
  const listed = new Set<string>()
  return ({ request, body }: DeviationRequest): boolean => {
    const { key } = request.params as { key?: string } // as: the only parameter
    if (key !== undefined) return !listed.has(key)
    for (const row of (body?.data ?? []) as { key: string }[]) listed.add(row.key) // as: the stub's rows
    return false
  }
}
