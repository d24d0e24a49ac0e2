import type { Choices } from '../../../contract/profile.ts'
import { type EventPath, findEventPath } from '../../../contract/room-events.ts'
import { pick } from '../pick.ts'

type EventTime = Choices['eventTime']

/** Date, time, a fraction of any length, and an offset, possibly of hours alone. */
const ISO_8601 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-]\d{2}(?::?\d{2})?)$/
const NUMBER = /^\d+(\.\d+)?$/

/** Reads an event's time in ms, if any; `no-time-field` for events of a type without a path. */
export function createEventTime(
  paths: EventPath,
  format: EventTime['format'],
): (text: string) => number | 'no-time-field' | undefined {
  if (typeof paths === 'string') {
    const search = createSearch(paths)
    return (text) => parseTime(search(text), format)
  }
  const searchType = createSearch('type')
  const searches: Record<string, (text: string) => unknown> = {}
  return (text) => {
    const path = findEventPath(paths, searchType(text))
    if (path === null) return 'no-time-field'
    const search = searches[path] ?? createSearch(path)
    searches[path] = search
    return parseTime(search(text), format)
  }
}

/** Reads the value at a path. Searches for the field's name first: under load, parsing each frame is too slow. */
function createSearch(path: string): (text: string) => unknown {
  const name = JSON.stringify(path.split('.').at(-1))
  const value = /\s*:\s*(?:"([^"\\]*)"|(\d+(?:\.\d+)?))/y
  /** If the name occurs once, its value is the one at the path. */
  return (text) => {
    const at = text.indexOf(name)
    if (at === -1) return undefined
    if (text.indexOf(name, at + 1) !== -1) return pick(parse(text), path)
    value.lastIndex = at + name.length
    const found = value.exec(text)
    return found?.[1] ?? found?.[2]
  }
}

/** Parses a time in the profile's format, in ms since the epoch; undefined for anything else. */
export function parseTime(value: unknown, format: EventTime['format']): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  if (format === 'iso8601') return parseIso(text)
  if (!NUMBER.test(text)) return undefined
  return format === 'epoch-seconds' ? Number(text) * 1000 : Number(text)
}

function parseIso(text: string): number | undefined {
  const parts = ISO_8601.exec(text)
  if (parts === null) return undefined
  const [, date, time, fraction = '', offset = 'Z'] = parts
  const ms = Date.parse(`${date}T${time}${`${fraction || '.'}000`.slice(0, 4)}${wholeOffset(offset)}`)
  return Number.isNaN(ms) ? undefined : ms
}

function wholeOffset(offset: string): string {
  if (offset.length < 3) return 'Z'
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** Parses a time in the profile's format, in ms since the epoch; undefined for anything else. */
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
