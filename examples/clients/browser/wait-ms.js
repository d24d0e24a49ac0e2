/**
 * How long the exchange asks to wait before the same request again: Retry-After in seconds, or as a date by the
 * exchange's own clock. Undefined where it asks for nothing. A page sees both headers only where CORS exposes them.
 */
export function waitMs({ status, headers }) {
  if (status !== 429 && status !== 503) return undefined
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const delayMs = Date.parse(text) - Date.parse(headers.get('date'))
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs)
}
