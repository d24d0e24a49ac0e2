import type { Choices } from '../choices/choices.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { EventAction, SeenEvent, SeenSocket } from '../faults/seams.ts'
import type { BlockUpdate, Views } from '../indexer/views/views.ts'
import { eventsOf } from './events/events.ts'
import type { Rooms } from './rooms.ts'
import { type Frame, messageFrame, type Outbox } from './socket/outbox.ts'

export type Publisher = {
  /** Sends what a block changed to whoever is in the rooms. */
  publish(update: BlockUpdate): void
  /** How many events there were to send: each counts once for each socket. */
  offered(): number
  /** Of a world that is no more: nothing goes out late. */
  forget(): void
}

/** Makes the events of each update, and sends them to whoever is in their rooms. */
export function createPublisher(options: {
  views: Pick<Views, 'poolStats'>
  rooms: Pick<Rooms<Receiver>, 'members'>
  clock: Clock
  choices: Choices
  faults: Pick<Faults, 'seams'>
}): Publisher {
  const { views, rooms, clock, choices, faults } = options
  const isWanted = (room: string) => rooms.members(room).size > 0
  let offered = 0

  const send = (batch: Delivery[]) => {
    for (const { frame, members } of batch) if (frame !== 'resync') offered += members.size
    deliver(batch)
  }
  const faulty = createFaultyDelivery({ faults, clock, rooms, send })

  return {
    publish(update) {
      const batch: Delivery[] = []
      const isFaulty = faulty.isInForce()
      const block = update.block.height
      for (const event of eventsOf(update, { choices, views, isWanted })) {
        const { room, ...message } = event
        const frame = messageFrame({ ...choices.extraFields, ...message })
        if (event.type === 'ProtocolConfigChanged' && update.config) frame.revision = update.config.revision
        if (isFaulty) faulty.add({ room, type: event.type, block, frame }, batch)
        else batch.push({ frame, members: rooms.members(room) })
      }
      send(batch)
    },
    offered: () => offered,
    forget: faulty.forget,
  }
}

type Receiver = { readonly id: number; readonly outbox: Outbox; seen(): SeenSocket }

/** Where an event is bound for: its room, or one socket in there. */
type Way = {
  key: string
  /** Adds what goes out now, to whoever is there now. */
  add(frame: Delivery['frame'], batch: Delivery[]): void
}

/** How events go out where a fault takes hold of them: lost, late, twice, behind the next one. */
type FaultyDelivery = {
  /** Whether it has a say now. */
  isInForce(): boolean
  /** Adds what goes out now of an event; the rest follows in its time. */
  add(event: SeenEvent & { frame: Buffer }, batch: Delivery[]): void
  /** Of a world that is no more: what is held back never goes out. */
  forget(): void
}

/** A delivery that goes on by `send`, at once where no fault acts. */
export function createFaultyDelivery(options: {
  faults: Pick<Faults, 'seams'>
  clock: Clock
  rooms: Pick<Rooms<Receiver>, 'members'>
  send(batch: Delivery[]): void
}): FaultyDelivery {
  const { faults, clock, rooms, send } = options
  const timers = new Set<Timer>()
  /** By the key of the way: what waits for the next event to go ahead. */
  const held = new Map<string, Set<(batch: Delivery[]) => void>>()

  const later = (ms: number, add: (batch: Delivery[]) => void) => {
    const timer = clock.after(ms, () => {
      timers.delete(timer)
      const batch: Delivery[] = []
      add(batch)
      send(batch)
    })
    timers.add(timer)
    return timer
  }
  const hold = (way: Way, frame: Buffer, { atMostMs, resync }: Extract<EventAction, { do: 'hold' }>) => {
    const waiting = held.get(way.key) ?? new Set()
    held.set(way.key, waiting)
    const release = (batch: Delivery[]) => {
      waiting.delete(release)
      if (waiting.size === 0) held.delete(way.key)
      timer.cancel()
      timers.delete(timer)
      way.add(frame, batch)
      if (resync) way.add('resync', batch)
    }
    const timer = later(atMostMs, release)
    waiting.add(release)
  }
  const pass = (action: EventAction | undefined, way: Way, frame: Buffer, batch: Delivery[]) => {
    if (action?.do === 'hold') return hold(way, frame, action)
    const { afterMs, resync } = action ?? AT_ONCE
    for (const ms of afterMs) {
      if (ms === 0) way.add(frame, batch)
      else later(ms, (then) => way.add(frame, then))
    }
    if (resync) {
      const lastMs = Math.max(0, ...afterMs)
      if (lastMs === 0) way.add('resync', batch)
      else later(lastMs, (then) => way.add('resync', then))
    }
    if (afterMs.includes(0)) for (const release of held.get(way.key) ?? []) release(batch)
  }

  const intoRoom = (event: SeenEvent): Way => ({
    key: event.room,
    add(frame, batch) {
      const members = rooms.members(event.room)
      if (frame === 'resync' || faults.seams.delivery === null) batch.push({ frame, members })
      else for (const member of members) pass(deedFor(event, member), toSocket(event, member), frame, batch)
    },
  })
  const toSocket = ({ room }: SeenEvent, member: Receiver): Way => ({
    key: `${room} ${member.id}`,
    add(frame, batch) {
      if (rooms.members(room).has(member)) batch.push({ frame, members: new Set([member]) })
    },
  })
  const deedFor = (event: SeenEvent, member: Receiver) =>
    firstDeed(faults.seams.delivery, { ...event, socket: member.seen() })

  return {
    isInForce: () => faults.seams.event !== null || faults.seams.delivery !== null || held.size > 0,
    add({ frame, ...event }, batch) {
      pass(firstDeed(faults.seams.event, event), intoRoom(event), frame, batch)
    },
    forget() {
      for (const timer of timers) timer.cancel()
      timers.clear()
      held.clear()
    },
  }
}

const AT_ONCE = { afterMs: [0], resync: false }

/** Of the faults in the order of their plan, the first that acts has its way; those behind it are not asked. */
function firstDeed<Seen>(
  seams: readonly ((seen: Seen) => EventAction | undefined)[] | null,
  seen: Seen,
): EventAction | undefined {
  for (const seam of seams ?? []) {
    const action = seam(seen)
    if (action) return action
  }
  return undefined
}

/** An event, framed, or that a resync is due; and whoever gets it. */
type Delivery = { frame: Frame | 'resync'; members: ReadonlySet<{ outbox: Outbox }> }

/**
 * Sends what one block gave: all that a socket gets of it goes to the system in one write, which is what costs most.
 */
export function deliver(deliveries: readonly Delivery[]): void {
  const corked = new Set<Outbox>()
  if (deliveries.length > 1) {
    for (const { members } of deliveries) for (const { outbox } of members) corked.add(outbox)
  }
  for (const outbox of corked) outbox.cork()
  for (const { frame, members } of deliveries) {
    if (frame === 'resync') for (const { outbox } of members) outbox.requireResync()
    else for (const { outbox } of members) outbox.sendEvent(frame)
  }
  for (const outbox of corked) outbox.uncork()
}
