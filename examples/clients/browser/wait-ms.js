/**
 * Returns the wait that the exchange requests before a retry: Retry-After in seconds, or as a date by the
 * exchange's clock. Undefined without that header. A page sees both headers only if CORS exposes them.
 */
export function waitMs({ status, headers }) {
  if (status !== 429 && status !== 503) return undefined
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const delayMs = Date.parse(text) - Date.parse(headers.get('date'))
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs)
}
