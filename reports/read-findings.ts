import { type Finding, findingSchema, waitingSchema } from '../contract/finding.ts'
import { timelineEntrySchema } from '../contract/run.ts'
import { type Line, readLines } from './run-lines.ts'

export type FindingsRead = {
  findings: Finding[]
  notes: string[]
}

/** A finding, or the kind of another line: findings pass through k6's console, which other code also writes to. */
type Reading = Finding | 'foreign' | 'malformed' | 'cut' | 'waiting' | 'timeline'

export async function readFindings(file: string): Promise<FindingsRead> {
  const findings: Finding[] = []
  const others = { foreign: 0, malformed: 0, cut: 0, waiting: 0, timeline: 0 }
  const found = await readLines(file, (line) => {
    const reading = readFinding(line)
    if (typeof reading === 'string') others[reading] += 1
    else findings.push(reading)
    return undefined
  })
  const notes = [
    !found && 'findings.ndjson is missing: no scenario reported anything.',
    others.malformed > 0 &&
      `findings.ndjson has ${plural(others.malformed, 'invalid finding')}: a failure may be missing.`,
    others.cut > 0 && 'findings.ndjson ends in the middle of a line: a finding may be missing.',
    others.foreign > 0 && `${plural(others.foreign, 'line')} of findings.ndjson ignored: not findings.`,
  ].filter((note) => typeof note === 'string')
  return { findings, notes }
}

function readFinding({ text, terminated }: Line): Reading {
  const parsed = parse(text)
  if (parsed === undefined) return terminated ? 'foreign' : 'cut'
  const finding = findingSchema.safeParse(parsed)
  if (finding.success) return finding.data
  if (waitingSchema.safeParse(parsed).success) return 'waiting'
  if (timelineEntrySchema.safeParse(parsed).success) return 'timeline'
  return typeof parsed === 'object' && parsed !== null && 'finding' in parsed ? 'malformed' : 'foreign'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
