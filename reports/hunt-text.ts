/** The result of a hunt as lines for a terminal. */
import type { HuntDocument } from '../contract/hunt-report.ts'
import type { TimelineLine } from '../contract/run.ts'
import { secondsText } from './timeline.ts'
import { NO_PAINT, type Paint } from './verdict-table.ts'
import { visibleLine } from './visible.ts'

type Finding = HuntDocument['findings'][number]

export function huntLines(hunt: HuntDocument, paint: Paint): string[] {
  const idle = hunt.duties.filter(({ verdict }) => verdict === 'skipped').map(({ rule }) => rule)
  return [
    ...hunt.cases.map(
      ({ file, reproduces }) =>
        `${visibleLine(file)}: ${reproduces ? paint.red('still reproduces') : 'fixed'}`,
    ),
    ...hunt.findings.flatMap((finding) => findingLines(finding, paint)),
    ...(idle.length > 0 ? [`not exercised: ${idle.join(', ')}`] : []),
    huntSentence(hunt),
  ]
}

/** `1 finding in 58 schedules (171 runs); 31 client rules: 1 violated, …` */
export function huntSentence({ findings, schedules, runs, duties }: HuntDocument): string {
  const count = (wanted: string) => duties.filter(({ verdict }) => verdict === wanted).length
  return `${countText(findings.length, 'finding')} in ${countText(schedules, 'schedule')} (${runs} runs); ${duties.length} client rules: ${count('fail')} violated, ${count('pass')} exercised without a violation, ${count('skipped')} not exercised`
}

export function countText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Rate of a hunt so far, as a whole number. */
export function perMinute(count: number, elapsedMs: number): string {
  return (count / Math.max(elapsedMs / 60_000, 1 / 60)).toFixed(0)
}

/** The file of the case could not be written. */
export const NOT_SAVED = 'not saved'

const TIMELINE_MAX = 12

export function findingLines(finding: Finding, paint: Paint = NO_PAINT): string[] {
  const { rule, client, observed, advice, faults, reproduced, timeline, file } = finding
  return [
    `${paint.red(rule)}  ${visibleLine(client)}`,
    `  observed  ${visibleLine(observed)}`,
    `  fix       ${visibleLine(advice)}`,
    ...faults.map((line) => `  faults    ${visibleLine(line)}`),
    `  confirmed ${reproduced.times} of ${reproduced.of} runs`,
    ...timelineLines(timeline).map((line) => `  journal   ${line}`),
    `  case      ${file === '' ? NOT_SAVED : visibleLine(file)}`,
  ]
}

/** The last lines of a timeline, without its findings. */
export function timelineLines(timeline: readonly TimelineLine[]): string[] {
  return timeline
    .filter(({ kind }) => kind !== 'finding')
    .slice(-TIMELINE_MAX)
    .map(({ atMs, text }) => visibleLine(`${secondsText(atMs).padStart(9)}  ${text}`))
}
