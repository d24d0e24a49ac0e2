/**
 * How long a `Retry-After` header asks a client to wait, in milliseconds: whole seconds or an HTTP date (RFC 9110, section
 * 10.2.3), the date measured on the server's own clock (its `Date` header) where there is one. Undefined where it is
 * missing or neither.
 */
export function retryAfterMs(options: {
  retryAfter: string | undefined
  date: string | undefined
  nowMs: number
}): number | undefined {
  const { retryAfter, date, nowMs } = options
  if (retryAfter === undefined) return undefined
  if (/^[0-9]+$/.test(retryAfter.trim())) return Number(retryAfter) * 1000
  const until = Date.parse(retryAfter)
  if (Number.isNaN(until)) return undefined
  const serverNow = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, until - (Number.isNaN(serverNow) ? nowMs : serverNow))
}

/** Exponential backoff with full jitter: a random wait below a ceiling that doubles with each attempt. */
export function backoffMs(options: { attempt: number; random: () => number }): number {
  return Math.min(8000, 250 * 2 ** options.attempt) * options.random()
}
