import type { Timers } from './timers.ts'

/**
 * What a connection does first. What authentication is answered with is not stated; the answer to `synchronize` says that it
 * succeeded, and only then rooms are joined.
 */
export function greet(connection: {
  timers: Timers
  authenticate: () => void
  synchronize: (then: () => void) => void
  join: () => void
}): void {
  connection.authenticate()
  connection.synchronize(connection.join)
}
