import type { Fault } from '../simulator/faults/fault-plan.ts'
import type { Schedule } from './schedule.ts'

/** One line for each fault: `http-429 on match 2 of GET /swaps, after 28 s: limit burst, lastsMs 3722`. */
export function describeSchedule(schedule: Schedule): string[] {
  return schedule.length === 0 ? ['no faults'] : schedule.map(describeFault)
}

function describeFault({ fault, when, ...given }: Fault): string {
  const { where, ...options } = given as Record<string, unknown>
  const places = listTexts(where)
  const matches = when.on?.map((match) => (typeof match === 'number' ? match : match.match)) ?? []
  const settings = listSettings(options)
  return [
    fault,
    matches.length > 0 ? ` on match ${listRanges(matches)}` : '',
    places.length > 0 ? ` of ${places.join(', ')}` : '',
    when.afterBlocks > 0 ? `, after ${when.afterBlocks} blocks` : '',
    when.afterMs > 0 ? `, after ${when.afterMs / 1000} s` : '',
    when.forMs === undefined ? '' : `, for ${when.forMs / 1000} s`,
    settings.length > 0 ? `: ${settings.join(', ')}` : '',
  ].join('')
}

/** `1 to 4, 7`: an outage has hundreds. */
function listRanges(matches: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const match of matches) {
    const range = ranges.at(-1)
    if (range && match === range[1] + 1) range[1] = match
    else ranges.push([match, match])
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`)).join(', ')
}

/** Routes, rooms and clients, at any depth. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

function listSettings(options: Record<string, unknown>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [`${name} ${value}`]
    return listSettings(value as Record<string, unknown>) // as: options are JSON
  })
}
