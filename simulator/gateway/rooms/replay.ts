import type { MutantName } from '../../mutants/mutants.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Rooms } from './rooms.ts'

const KEPT_PER_ROOM = 20

type Member = { readonly outbox: Outbox }

/**
 * Of the mutant `ws-replays`: keeps the last frames of each room and sends them to whoever joins it. Of any other stub:
 * nothing.
 */
export function createReplay(mutant: MutantName | null): {
  keep(room: string, frame: Buffer): void
  joining<Joiner extends Member>(rooms: Rooms<Joiner>): Rooms<Joiner>
} {
  if (mutant !== 'ws-replays') return { keep() {}, joining: (rooms) => rooms }
  const kept = new Map<string, Buffer[]>()
  return {
    keep(room, frame) {
      kept.set(room, [...(kept.get(room) ?? []), frame].slice(-KEPT_PER_ROOM))
    },
    joining: (rooms) => ({
      ...rooms,
      join(room, member) {
        rooms.join(room, member)
        for (const frame of kept.get(room) ?? []) member.outbox.sendEvent(frame)
      },
    }),
  }
}
