import type { ActivityJournal } from '../activity-journal.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import { createObserver, type Observer } from './observer.ts'

type PoolSpellings = {
  /** The key of a pool that this text is another spelling of; null where it is like none. */
  otherSpelling(text: string): string | null
}

const PAGE = 1000

/**
 * Finds the key that somebody had: by case, percent-encoding, Unicode form or white space alone a text differs from it. Asked
 * only where a pool was not found. Pools are read as they are added.
 */
export function createPoolSpellings(options: {
  /** The pools, oldest first, with their keys as the exchange writes them. */
  keys(page: { offset: number; limit: number }): readonly string[]
}): PoolSpellings & { forget(): void } {
  const byForm = new Map<string, string>()
  let known = 0
  const learn = () => {
    for (;;) {
      const keys = options.keys({ offset: known, limit: PAGE })
      for (const key of keys) byForm.set(loosely(key), key)
      known += keys.length
      if (keys.length < PAGE) return
    }
  }
  return {
    otherSpelling(text) {
      learn()
      const key = byForm.get(loosely(text))
      return key === undefined || key === text ? null : key
    },
    forget() {
      byForm.clear()
      known = 0
    },
  }
}

/** The same for all that a client might make of a key by mistake. */
function loosely(text: string): string {
  let form = text
  for (let round = 0; round < 2; round++) form = decoded(form)
  return form.normalize('NFC').replace(/[\s+]/gu, '').toLowerCase()
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

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
