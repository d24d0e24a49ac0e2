import type { Choices } from '../contract/profile.ts'
import { findEventPath, normalizeRoom } from '../contract/room-events.ts'
import type { Conduct } from './conduct.ts'
import { at, type Exchange } from './exchange.ts'
import type { FeedEvent } from './keep-feed.ts'
import { ExchangeError } from './send.ts'

export type RoomEvent = Pick<FeedEvent, 'type' | 'data'>

export type RoomView = { snapshot: unknown; events: readonly RoomEvent[] }

export type RoomViews = {
  /** Loads all views again; replaces the old ones. */
  refetch(): Promise<void>
  apply(event: RoomEvent): void
  of(room: string): RoomView | undefined
}

const EVENTS_KEPT = 100

type Source = {
  room: string
  /** Path of the field that assigns an event to a room. */
  subject?: 'pool' | 'address'
  load: (options: {
    subject: string
    exchange: Exchange
    choices: Choices
    conduct: Conduct
  }) => Promise<unknown>
}

/** The source of each event type, loaded again if events may be missing. */
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

/** Views are empty until their snapshot is loaded. */
export function createRoomViews(options: {
  rooms: readonly string[]
  exchange: Exchange
  choices: Choices
  conduct: Conduct
}): RoomViews {
  const { rooms, exchange, choices, conduct } = options
  const views = new Map<string, RoomView & { events: RoomEvent[] }>()
  /** Events of rooms that are being loaded: they may be newer than the snapshot on its way. */
  const buffered = new Map<string, RoomEvent[]>()

  const load = async (joined: string) => {
    const [name = '', subject = ''] = splitOnce(joined, ':')
    const room = normalizeRoom(joined)
    const source = Object.values(SOURCE_OF).find((known) => known.room === name)
    if (source === undefined) return
    const events: RoomEvent[] = []
    buffered.set(room, events)
    const snapshot = await source.load({ subject, exchange, choices, conduct })
    // A newer load has the events since this one began.
    if (buffered.get(room) !== events) return
    buffered.delete(room)
    views.set(room, { snapshot, events: events.filter((event) => isNewer(event, snapshot)) })
  }

  return {
    refetch: async () => void (await Promise.all(rooms.map(load))),
    apply(event) {
      const source = SOURCE_OF[event.type]
      if (source === undefined) return
      const subject = source.subject && at(event, findEventPath(choices.events[source.subject], event.type))
      const room = normalizeRoom(subject === undefined ? source.room : `${source.room}:${subject}`)
      for (const events of [views.get(room)?.events, buffered.get(room)]) {
        events?.push(event)
        if (events && events.length > EVENTS_KEPT) events.shift()
      }
    },
    of: (room) => views.get(normalizeRoom(room)),
  }
}

function loadPart(part: string): Source['load'] {
  return ({ subject, exchange, conduct }) => exchange.get(conduct.poolPath(subject) + part).catch(noneIfGone)
}

/** A chain reorganization can remove a pool. */
function noneIfGone(error: unknown): undefined {
  if (!(error instanceof ExchangeError && [404, 410].includes(error.status))) throw error
}

/** Compares blocks; without block numbers, the event counts as newer. */
function isNewer({ data }: RoomEvent, snapshot: unknown): boolean {
  const block = at(snapshot, 'data.observed_block')
  const atBlock = at(data, 'block')
  return typeof block !== 'number' || typeof atBlock !== 'number' || atBlock > block
}

/** A pool key may contain any character, including the separator. */
function splitOnce(text: string, separator: string): string[] {
  const place = text.indexOf(separator)
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)]
}
