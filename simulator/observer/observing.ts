import type { ActivityJournal } from '../activity-journal.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import { createObserver, type Observer } from './observer.ts'

type PoolSpellings = {
  /** The key of a pool that this text is another spelling of; null if none is similar. */
  otherSpelling(text: string): string | null
}

const PAGE = 1000

/**
 * Finds the intended key of a text that differs only by case, percent-encoding, Unicode form or white space. Used only
 * if a pool was not found. Pools are read as they are added.
 */
export function createPoolSpellings(options: {
  /** Pool keys, oldest first, as the exchange writes them. */
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

/** Maps the likely misspellings of a key to the same text. */
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

/** An observer, and the lookup that exchange and gateway need to report to it. */
export type Observing = PoolSpellings & { observer: Observer }

/** At pace `real`, clients use real time: a longer leap of the clock leaves them no time to act. */
const LEAP_MS_MAX = { real: 5000, manual: Number.POSITIVE_INFINITY }

/** An observer for a stub, which recognizes other spellings of its pool keys. */
export function createObserving(options: {
  clock: Clock
  journal: Pick<ActivityJournal, 'find'>
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
