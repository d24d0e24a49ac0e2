import type { Choices } from '../contract/profile.ts'
import type { Conduct } from './conduct.ts'
import { at, type Exchange } from './exchange.ts'
import type { FeedEvent } from './keep-feed.ts'
import { ExchangeError } from './send.ts'

export type RoomEvent = Pick<FeedEvent, 'type' | 'data'>

/** What REST told, and what the feed has told since. */
export type RoomView = { snapshot: unknown; events: readonly RoomEvent[] }

export type RoomViews = {
  /** Loads all of them anew; what was known before is replaced, not added to. */
  refetch(): Promise<void>
  apply(event: RoomEvent): void
  of(room: string): RoomView | undefined
}

const EVENTS_KEPT = 100

type Source = {
  room: string
  /** Where the profile says that an event tells which of the rooms it is for. */
  subject?: 'pool' | 'address'
  load: (options: {
    subject: string
    exchange: Exchange
    choices: Choices
    conduct: Conduct
  }) => Promise<unknown>
}

/** What the events of each type come from, and what is loaded anew where some may be missing. */
const SOURCE_OF: Readonly<Record<string, Source>> = {
  PoolLaunch: { room: 'pool_launches', load: ({ exchange }) => exchange.list('/pools') },
  PoolStats: { room: 'pool_stats', subject: 'pool', load: loadPart('/stats') },
  Ohlcv: { room: 'ohlcv', subject: 'pool', load: loadPart('/ohlcv') },
  Trade: { room: 'trades', subject: 'pool', load: loadPart('/trades') },
  BalanceChange: {
    room: 'balances',
    subject: 'address',
    load: async ({ exchange, choices }) => choices.balancesPath && exchange.get(choices.balancesPath),
  },
}

/** Views of the rooms, empty until REST has told of each. */
export function createRoomViews(options: {
  rooms: readonly string[]
  exchange: Exchange
  choices: Choices
  conduct: Conduct
}): RoomViews {
  const { rooms, exchange, choices, conduct } = options
  const views = new Map<string, RoomView & { events: RoomEvent[] }>()
  /** Of rooms that are being loaded: an event that comes meanwhile may be newer than what is on its way. */
  const meanwhile = new Map<string, RoomEvent[]>()

  const load = async (room: string) => {
    const [name = '', subject = ''] = splitOnce(room, ':')
    const source = Object.values(SOURCE_OF).find((known) => known.room === name)
    if (source === undefined) return
    const events: RoomEvent[] = []
    meanwhile.set(room, events)
    const snapshot = await source.load({ subject, exchange, choices, conduct })
    meanwhile.delete(room)
    views.set(room, { snapshot, events: events.filter((event) => isNewer(event, snapshot)) })
  }

  return {
    refetch: async () => void (await Promise.all(rooms.map(load))),
    apply(event) {
      const source = SOURCE_OF[event.type]
      if (source === undefined) return
      const subject = source.subject && at(event, choices.events[source.subject])
      const room = subject === undefined ? source.room : `${source.room}:${subject}`
      for (const events of [views.get(room)?.events, meanwhile.get(room)]) {
        events?.push(event)
        if (events && events.length > EVENTS_KEPT) events.shift()
      }
    },
    of: (room) => views.get(room),
  }
}

function loadPart(part: string): Source['load'] {
  return ({ subject, exchange, conduct }) => exchange.get(conduct.poolPath(subject) + part).catch(noneIfGone)
}

/** A reorganization of the chain may take a pool back. */
function noneIfGone(error: unknown): undefined {
  if (!(error instanceof ExchangeError && [404, 410].includes(error.status))) throw error
}

/** Where both tell the block that they are of; where they do not, an event counts. */
function isNewer({ data }: RoomEvent, snapshot: unknown): boolean {
  const block = at(snapshot, 'data.observed_block')
  const atBlock = at(data, 'block')
  return typeof block !== 'number' || typeof atBlock !== 'number' || atBlock > block
}

/** A pool key may hold any character, the separator among them. */
function splitOnce(text: string, separator: string): string[] {
  const place = text.indexOf(separator)
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)]
}
