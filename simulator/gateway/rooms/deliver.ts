import type { Outbox } from '../outbox/outbox.ts'
import type { EventFrame } from '../outbox/text-frame.ts'

/** An event, framed, or that a resync is due; and whoever gets it. */
export type Delivery = { frame: EventFrame | 'resync'; members: ReadonlySet<{ outbox: Outbox }> }

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
