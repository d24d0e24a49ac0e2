import type { Choices } from '../choices/choices.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { EventAction, EventContext, SocketContext } from '../faults/hooks.ts'
import type { BlockUpdate, Views } from '../indexer/views/views.ts'
import { generateEvents } from './events/events.ts'
import type { FanOut } from './fan-out.ts'
import type { Rooms } from './rooms.ts'
import { type Frame, messageFrame, type Outbox } from './socket/outbox.ts'

export type Publisher = {
  publish(update: BlockUpdate): void
  /** Number of events given to sockets; each counts once per socket. */
  offered(): number
  /** Discards delayed events of a reverted world. */
  forget(): void
}

export function createPublisher(options: {
  views: Pick<Views, 'poolStats'>
  rooms: Pick<Rooms<Receiver>, 'members'>
  clock: Clock
  choices: Choices
  faults: Pick<Faults, 'hooks'>
  /** Sends deliveries at a limited rate (default: at once). */
  fanOut?: Pick<FanOut, 'deliver' | 'forget' | 'events'> | null
}): Publisher {
  const { views, rooms, clock, choices, faults, fanOut = null } = options
  const isWanted = (room: string) => rooms.members(room).size > 0
  let offered = 0

  const send = (batch: Delivery[]) => {
    if (fanOut !== null) return fanOut.deliver(batch)
    for (const { frame, members } of batch) if (frame !== 'resync') offered += members.size
    deliver(batch)
  }
  const faulty = createFaultyDelivery({ faults, clock, rooms, send })

  return {
    publish(update) {
      const batch: Delivery[] = []
      const isFaulty = faulty.isActive()
      const block = update.block.height
      for (const event of generateEvents(update, { choices, views, isWanted })) {
        const { room, ...message } = event
        const frame = messageFrame({ ...choices.extraFields, ...message })
        if (event.type === 'ProtocolConfigChanged' && update.config) frame.revision = update.config.revision
        if (isFaulty) faulty.add({ room, type: event.type, block, frame }, batch)
        else batch.push({ frame, members: rooms.members(room) })
      }
      send(batch)
    },
    offered: () => fanOut?.events().sent ?? offered,
    forget() {
      faulty.forget()
      fanOut?.forget()
    },
  }
}

type Receiver = { readonly id: number; readonly outbox: Outbox; context(): SocketContext }

/** Destination of an event: a room, or one socket in it. */
type Way = {
  key: string
  /** Adds a frame for the current members. */
  add(frame: Delivery['frame'], batch: Delivery[]): void
}

/** Event delivery under faults: lost, delayed, repeated, reordered. */
type FaultyDelivery = {
  /** True while faults affect events or frames are held. */
  isActive(): boolean
  /** Adds what is sent now; the rest is sent later. */
  add(event: EventContext & { frame: Buffer }, batch: Delivery[]): void
  forget(): void
}

/** Without faults, events are sent at once. `send` gets the later ones. */
export function createFaultyDelivery(options: {
  faults: Pick<Faults, 'hooks'>
  clock: Clock
  rooms: Pick<Rooms<Receiver>, 'members'>
  send(batch: Delivery[]): void
}): FaultyDelivery {
  const { faults, clock, rooms, send } = options
  const timers = new Set<Timer>()
  /** Frames that wait for the next event, by destination key. */
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

  const intoRoom = (event: EventContext): Way => ({
    key: event.room,
    add(frame, batch) {
      const members = rooms.members(event.room)
      if (frame === 'resync' || faults.hooks.delivery === null) batch.push({ frame, members })
      else for (const member of members) pass(actionFor(event, member), toSocket(event, member), frame, batch)
    },
  })
  const toSocket = ({ room }: EventContext, member: Receiver): Way => ({
    key: `${room} ${member.id}`,
    add(frame, batch) {
      if (rooms.members(room).has(member)) batch.push({ frame, members: new Set([member]) })
    },
  })
  const actionFor = (event: EventContext, member: Receiver) =>
    firstAction(faults.hooks.delivery, { ...event, socket: member.context() })

  return {
    isActive: () => faults.hooks.event !== null || faults.hooks.delivery !== null || held.size > 0,
    add({ frame, ...event }, batch) {
      pass(firstAction(faults.hooks.event, event), intoRoom(event), frame, batch)
    },
    forget() {
      for (const timer of timers) timer.cancel()
      timers.clear()
      held.clear()
    },
  }
}

const AT_ONCE = { afterMs: [0], resync: false }

/** The first action in plan order; later faults do not see the event. */
function firstAction<Context>(
  hooks: readonly ((context: Context) => EventAction | undefined)[] | null,
  context: Context,
): EventAction | undefined {
  for (const hook of hooks ?? []) {
    const action = hook(context)
    if (action) return action
  }
  return undefined
}

/** A framed event or a due resync, and its receivers. */
export type Delivery = { frame: Frame | 'resync'; members: ReadonlySet<Pick<Receiver, 'id' | 'outbox'>> }

/** Sends the deliveries of a block: one write per socket, since system calls cost most. */
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
