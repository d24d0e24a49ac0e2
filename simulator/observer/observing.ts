import type { ActivityJournal } from '../activity-journal.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import { createObserver, type Observer } from './observer.ts'
import { createPoolSpellings, type PoolSpellings } from './pool-spellings.ts'

/** An observer, and what exchange and gateway need to tell it what they see. */
export type Observing = PoolSpellings & { observer: Observer }

/** By the pace `real` clients live by real time: a longer leap of the clock gives them no time to act. */
const LEAP_MS_MAX = { real: 5000, manual: Number.POSITIVE_INFINITY }

/** An observer for a stub, with what tells spellings of its pools' keys apart. */
export function createObserving(options: {
  clock: Clock
  journal: Pick<ActivityJournal, 'find'>
  /** Oldest first. */
  pools: (page: { offset: number; limit: number }) => { rows: readonly { key: string }[] }
  choices: Pick<Choices, 'wire'>
  pace: keyof typeof LEAP_MS_MAX
}): Observing & { forget(): void } {
  const { clock, journal, pools, choices, pace } = options
  const observer = createObserver({ clock, journal, leapMsMax: LEAP_MS_MAX[pace] })
  const spellings = createPoolSpellings({
    keys: (page) => pools(page).rows.map(({ key }) => choices.wire.poolKey.encode(key)),
  })
  return {
    observer,
    otherSpelling: spellings.otherSpelling,
    forget() {
      spellings.forget()
      observer.forget()
    },
  }
}
