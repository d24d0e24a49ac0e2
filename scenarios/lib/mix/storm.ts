import { Counter, Trend } from 'k6/metrics'
import type { OfferedSockets } from '../../../contract/scenario-config.ts'
import { FEED_RECOVERY, FEED_UNRECOVERED } from '../../../contract/series.ts'
import { pause } from '../time/pause.ts'

const recovery = new Trend(FEED_RECOVERY, true)
const unrecovered = new Counter(FEED_UNRECOVERED)

/** Follows the sockets of a VU through a cut of all sockets of the load. */
export type Storm = {
  /** Handlers of one more socket, which reconnects as its client does. */
  add(): { onSocket: (cut: () => void) => void; onSynchronized: () => void }
  /** Cuts all sockets at the time of the storm. Resolves when its time to recover is over. */
  run(): Promise<void>
}

type Member = { cut: (() => void) | undefined; isBack: boolean }

/** `startMs`: the start of the load. `sockets`: those of this VU, including any that never opened. */
export function createStorm(options: {
  storm: NonNullable<OfferedSockets['storm']>
  startMs: number
  sockets: number
}): Storm {
  const { storm, startMs, sockets } = options
  const cutMs = startMs + storm.cutAfterSeconds * 1000
  const members: Member[] = []
  let state: 'before' | 'recovering' | 'over' = 'before'
  return {
    add() {
      const member: Member = { cut: undefined, isBack: false }
      members.push(member)
      return {
        onSocket(cut) {
          member.cut = cut
        },
        onSynchronized() {
          if (state !== 'recovering' || member.isBack) return
          member.isBack = true
          recovery.add(Date.now() - cutMs)
        },
      }
    },
    async run() {
      await pause(Math.max(0, cutMs - Date.now()))
      state = 'recovering'
      for (const { cut } of members) cut?.()
      await pause(Math.max(0, cutMs + storm.recoverWithinSeconds * 1000 - Date.now()))
      state = 'over'
      unrecovered.add(sockets - members.filter(({ isBack }) => isBack).length)
    },
  }
}
