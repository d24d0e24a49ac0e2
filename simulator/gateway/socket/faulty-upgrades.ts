import type { Duplex } from 'node:stream'
import type { Clock } from '../../clock.ts'
import type { Faults } from '../../faults/faults.ts'
import type { UpgradeDeed } from '../../faults/feed-seams.ts'
import type { BareAnswer } from '../../http/bare-answer.ts'

/** What becomes of upgrades where a fault takes hold of them: refused, late, never answered, cut. */
export type FaultyUpgrades = {
  /** Calls `open`, now or later, unless something else becomes of it. */
  meet(upgrade: { stream: Duplex; userAgent: string; open: () => void }): void
  /** Cuts those that wait. */
  shut(): void
}

/** What faults do to upgrades; those that none acts on go straight on. */
export function createFaultyUpgrades(options: {
  faults: Pick<Faults, 'seams'>
  clock: Clock
  sync: () => void
  refuse(stream: Duplex, answer: BareAnswer): void
  reset(stream: Duplex): void
}): FaultyUpgrades {
  const { faults, clock, sync, refuse, reset } = options
  const waiting = new Set<Duplex>()
  let count = 0

  /** What breaks meanwhile shows in the close. */
  const wait = (stream: Duplex, ms: number, then: () => void) => {
    waiting.add(stream)
    const breaks = () => stream.destroy()
    const gone = () => {
      waiting.delete(stream)
      timer.cancel()
    }
    const timer = clock.after(ms, () => {
      waiting.delete(stream)
      stream.off('error', breaks).off('close', gone)
      then()
    })
    stream.once('error', breaks).once('close', gone)
  }

  return {
    meet({ stream, userAgent, open }) {
      count++
      if (faults.seams.upgrade === null) return open()
      sync()
      const { waitMs, last } = deedOn(faults.seams.upgrade, { number: count, userAgent })
      const act = () => {
        if (!last) open()
        else if (last.do === 'answer') refuse(stream, last)
        else if (last.do === 'hang') wait(stream, last.ms, () => stream.destroy())
        else reset(stream)
      }
      if (waitMs > 0) wait(stream, waitMs, act)
      else act()
    },
    shut() {
      for (const stream of waiting) stream.destroy()
    },
  }
}

type LastDeed = Exclude<UpgradeDeed, { do: 'delay' }>

/** Delays add up, until a fault does something else. */
function deedOn(
  seams: NonNullable<Faults['seams']['upgrade']>,
  seen: { number: number; userAgent: string },
): { waitMs: number; last?: LastDeed } {
  let waitMs = 0
  for (const seam of seams) {
    const deed = seam(seen)
    if (deed?.do === 'delay') waitMs += deed.ms
    else if (deed) return { waitMs, last: deed }
  }
  return { waitMs }
}
