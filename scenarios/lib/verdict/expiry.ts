import type { Choices } from '../../../contract/profile.ts'

/** Year, month, day, time and offset of RFC 3339; fractions of any length, of which milliseconds are read. */
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** A moment as the profile says that it is written, in milliseconds since the epoch; undefined for anything else. */
export function parseExpiry(value: unknown, format: Choices['expiry']): number | undefined {
  if (format !== 'rfc3339') {
    const digits = typeof value === 'number' ? String(value) : value
    if (typeof digits !== 'string' || !/^[0-9]+(\.[0-9]+)?$/.test(digits)) return undefined
    return format === 'epoch-seconds' ? Number(digits) * 1000 : Number(digits)
  }
  const parts = typeof value === 'string' ? RFC_3339.exec(value) : null
  if (!parts) return undefined
  const [, date, time, fraction = '', offset] = parts
  const ms = Date.parse(`${date}T${time}${`${fraction || '.'}000`.slice(0, 4)}${offset?.toUpperCase()}`)
  return Number.isNaN(ms) ? undefined : ms
}
