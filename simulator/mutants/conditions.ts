/** When a deviation acts. Conditions that count come last in `all`: they see only what fits the ones before. */
import type { Credential } from '../auth/auth.ts'
import type { Choices } from '../choices/choices.ts'
import type { Asked, Condition } from './deviation.ts'

type Key = (asked: Asked) => string

/** All of them, tried in this order until one does not hold. */
export function all(...conditions: readonly Condition[]): Condition {
  return () => {
    const tests = conditions.map((condition) => condition())
    return (asked) => tests.every((test) => test(asked))
  }
}

/** A condition that remembers nothing. */
export function only(test: (asked: Asked) => boolean): Condition {
  return () => test
}

/** Requests whose query has this value under the name; any value, if it is left out. */
export function query(name: string | ((choices: Choices) => string), value?: string): Condition {
  return only((asked) => {
    const given = asked.query.get(typeof name === 'string' ? name : name(asked.choices))
    return given !== null && (value === undefined || given === value)
  })
}

/** Requests whose query has a value under the name that is none of these. */
export function unknown(name: string, known: readonly string[]): Condition {
  return only(({ query }) => {
    const given = query.get(name)
    return given !== null && !known.includes(given)
  })
}

/** Requests whose query has a number of at least `min` and at most `max` under the name. */
export function between(name: string, min: number, max = Number.POSITIVE_INFINITY): Condition {
  return only(({ query }) => {
    const given = query.get(name)
    return given !== null && /^[0-9]+$/.test(given) && Number(given) >= min && Number(given) <= max
  })
}

/** Requests with such a credential. */
export function by(...kinds: readonly (Credential['kind'] | 'missing' | 'invalid')[]): Condition {
  return only(({ request: { credential } }) =>
    kinds.includes(typeof credential === 'string' ? credential : credential.kind),
  )
}

/** From the `count`th time on, counted for each key by itself. */
export function from(count: number, key: Key = () => ''): Condition {
  return counting(key, (number) => number >= count)
}

/** Up to the `count`th time. */
export function upTo(count: number, key: Key = () => ''): Condition {
  return counting(key, (number) => number <= count)
}

/** Every second, third, ... time. */
export function every(count: number, key: Key = () => ''): Condition {
  return counting(key, (number) => number % count === 0)
}

/** Requests that come less than so many milliseconds after the one before with the same key. */
export function hurried(ms: number, key: Key = () => ''): Condition {
  return () => {
    const lastMs = new Map<string, number>()
    return (asked) => {
      const nowMs = asked.clock.nowMs()
      const agoMs = nowMs - (lastMs.get(key(asked)) ?? Number.NEGATIVE_INFINITY)
      lastMs.set(key(asked), nowMs)
      return agoMs < ms
    }
  }
}

/** Each wallet counts by itself. */
export const wallet: Key = ({ request: { credential } }) =>
  typeof credential === 'string' ? credential : credential.address
/** Each credential counts by itself. */
export const credential: Key = ({ request }) =>
  typeof request.credential === 'string' ? request.credential : request.credential.id
/** Each URL counts by itself. */
export const url: Key = ({ request }) => request.originalUrl

function counting(key: Key, holds: (number: number) => boolean): Condition {
  return () => {
    const counts = new Map<string, number>()
    return (asked) => {
      const number = (counts.get(key(asked)) ?? 0) + 1
      counts.set(key(asked), number)
      return holds(number)
    }
  }
}
