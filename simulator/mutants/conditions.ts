/** When a deviation acts. Put conditions that count last in `all`, so that they count only what the others match. */
import type { Credential } from '../auth/auth.ts'
import type { Choices } from '../choices/choices.ts'
import type { Condition, DeviationRequest } from './deviation.ts'
import type { Fields } from './reactions.ts'

type Key = (incoming: DeviationRequest) => string

/** True if all of them are; stops at the first that is not. */
export function all(...conditions: readonly Condition[]): Condition {
  return () => {
    const tests = conditions.map((condition) => condition())
    return (incoming) => tests.every((test) => test(incoming))
  }
}

export function only(test: (incoming: DeviationRequest) => boolean): Condition {
  return () => test
}

/** Matches requests whose query has this value under the name, or any value if it is omitted. */
export function query(name: string | ((choices: Choices) => string), value?: string): Condition {
  return only((incoming) => {
    const given = incoming.query.get(typeof name === 'string' ? name : name(incoming.choices))
    return given !== null && (value === undefined || given === value)
  })
}

/** Matches requests whose query has an unknown value under the name. */
export function unknown(name: string, known: readonly string[]): Condition {
  return only(({ query }) => {
    const given = query.get(name)
    return given !== null && !known.includes(given)
  })
}

/** Matches requests whose query has a number from `min` to `max` under the name. */
export function between(name: string, min: number, max = Number.POSITIVE_INFINITY): Condition {
  return only(({ query }) => {
    const given = query.get(name)
    return given !== null && /^[0-9]+$/.test(given) && Number(given) >= min && Number(given) <= max
  })
}

export function by(...kinds: readonly (Credential['kind'] | 'missing' | 'invalid')[]): Condition {
  return only(({ request: { credential } }) =>
    kinds.includes(typeof credential === 'string' ? credential : credential.kind),
  )
}

/** Matches from the `count`th time on, counted per key. */
export function from(count: number, key: Key = () => ''): Condition {
  return counting(key, (number) => number >= count)
}

/** Matches up to the `count`th time, counted per key. */
export function upTo(count: number, key: Key = () => ''): Condition {
  return counting(key, (number) => number <= count)
}

/** Matches every `count`th time, counted per key. */
export function every(count: number, key: Key = () => ''): Condition {
  return counting(key, (number) => number % count === 0)
}

/** Matches requests that come less than `ms` milliseconds after the previous one with the same key. */
export function hurried(ms: number, key: Key = () => ''): Condition {
  return () => {
    const lastMs = new Map<string, number>()
    return (incoming) => {
      const nowMs = incoming.clock.nowMs()
      const agoMs = nowMs - (lastMs.get(key(incoming)) ?? Number.NEGATIVE_INFINITY)
      lastMs.set(key(incoming), nowMs)
      return agoMs < ms
    }
  }
}

export const wallet: Key = ({ request: { credential } }) =>
  typeof credential === 'string' ? credential : credential.address
export const credential: Key = ({ request }) =>
  typeof request.credential === 'string' ? request.credential : request.credential.id
export const url: Key = ({ request }) => request.originalUrl

function counting(key: Key, holds: (number: number) => boolean): Condition {
  return () => {
    const counts = new Map<string, number>()
    return (incoming) => {
      const number = (counts.get(key(incoming)) ?? 0) + 1
      counts.set(key(incoming), number)
      return holds(number)
    }
  }
}

/**
 * Matches responses to a search that finds a row by one of these fields, in full and in any case. Without fields: by
 * something that a row of /explore/pools does not show, which is a token address.
 */
export function isFoundBy(fields: readonly string[]) {
  return ({ query, body }: DeviationRequest): boolean => {
    const found = (body?.data ?? []) as Fields[] // as: the stub's rows
    const text = query.get('search')?.toLowerCase() ?? ''
    if (text === '' || found.length === 0) return false
    if (fields.length > 0)
      return found.some((row) => fields.some((field) => String(row[field]).toLowerCase() === text))
    return !found.some((row) =>
      Object.values(row).some((value) => String(value).toLowerCase().includes(text)),
    )
  }
}
