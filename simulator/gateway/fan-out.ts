import { createServiceQueue, type ServiceQueue, type ServiceTime } from '../service-queue.ts'
import type { Delivery } from './publisher.ts'

/** Delivers events at a limited rate per gateway node: a node with a known capacity. */
export type FanOut = {
  deliver(deliveries: readonly Delivery[]): void
  /** Discards the events that wait. */
  forget(): void
  /** Totals since the start: each event counts once per socket. */
  events(): { sent: number; discarded: number }
  close(): void
}

/** A node that is further behind loses what waits, which bounds its memory. */
const BEHIND_SECONDS_MAX = 60

/**
 * Each node sends `perSecond` events per second of real time, one socket after another: above that, events wait and arrive late. A
 * node that is a minute behind discards what waits, and its sockets get `resync_required` (specification, Events: Server messages).
 */
export function createFanOut(options: {
  perSecond: number
  /** Gateway node of a socket. */
  chooseNode: (id: number) => number
  time: ServiceTime
}): FanOut {
  const { perSecond, chooseNode, time } = options
  const nodes = new Map<number, Node>()
  let sent = 0
  let discarded = 0

  const getNode = (id: number): Node => {
    const number = chooseNode(id)
    const known = nodes.get(number)
    if (known !== undefined) return known
    const made = {
      queue: createServiceQueue({ perSecond, time }),
      waiting: new Map<Member, number>(),
      waitingEvents: 0,
      epoch: 0,
    }
    nodes.set(number, made)
    return made
  }
  const replaceQueue = (node: Node) => {
    node.queue.close()
    node.queue = createServiceQueue({ perSecond, time })
    node.epoch++
    discarded += node.waitingEvents
    node.waitingEvents = 0
    node.waiting.clear()
  }
  const enter = (member: Member, { frame, members }: Delivery) => {
    const node = getNode(member.id)
    if (node.queue.length() >= BEHIND_SECONDS_MAX * perSecond) {
      const behind = [...node.waiting.keys()]
      replaceQueue(node)
      for (const { outbox } of behind) outbox.requireResync()
    }
    const { epoch } = node
    const events = frame === 'resync' ? 0 : 1
    node.waitingEvents += events
    node.waiting.set(member, (node.waiting.get(member) ?? 0) + 1)
    const leave = () => {
      node.waitingEvents -= events
      removeOne(node.waiting, member)
    }
    const send = () => {
      if (epoch !== node.epoch) return
      leave()
      sent += events
      if (frame === 'resync') member.outbox.requireResync()
      else member.outbox.sendEvent(frame)
    }
    node.queue.enter(send, () => {
      const hasLeft = !members.has(member)
      if (hasLeft && epoch === node.epoch) leave()
      return hasLeft
    })
  }

  return {
    deliver(deliveries) {
      for (const delivery of deliveries) for (const member of delivery.members) enter(member, delivery)
    },
    forget() {
      for (const node of nodes.values()) replaceQueue(node)
    },
    events: () => ({ sent, discarded }),
    close() {
      for (const { queue } of nodes.values()) queue.close()
    },
  }
}

function removeOne(waiting: Node['waiting'], member: Member): void {
  const left = (waiting.get(member) ?? 0) - 1
  if (left > 0) waiting.set(member, left)
  else waiting.delete(member)
}

type Member = Delivery['members'] extends ReadonlySet<infer One> ? One : never

type Node = {
  queue: ServiceQueue
  /** Number of waiting events and resyncs by socket. */
  waiting: Map<Member, number>
  waitingEvents: number
  /** Counts the discarded queues. */
  epoch: number
}
