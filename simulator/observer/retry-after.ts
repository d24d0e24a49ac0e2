/** How long a `Retry-After` header asks to wait, by the `Date` of the same answer; null where it says nothing. */
export function retryAfterMs(headers: { retryAfter: unknown; date: unknown }): number | null {
  const { retryAfter, date } = headers
  if (retryAfter === undefined) return null
  const text = String(retryAfter)
  if (/^[0-9]+$/.test(text)) return Number(text) * 1000
  const waitMs = Date.parse(text) - Date.parse(String(date))
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs)
}
