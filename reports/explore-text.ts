/** The result of an exploration as lines for a terminal. */
import type { ExploreDocument } from '../contract/explore-report.ts'
import { countText, NOT_SAVED } from './hunt-text.ts'
import { NO_PAINT, type Paint } from './verdict-table.ts'
import { visibleLine } from './visible.ts'

type Finding = ExploreDocument['findings'][number]
type Step = Finding['steps'][number]

export function exploreLines(report: ExploreDocument, paint: Paint): string[] {
  const { findings, unconfirmed, notExplored, unjudged } = report
  return [
    ...findings.flatMap((finding) => findingLines(finding, paint)),
    ...unconfirmed.map(({ rule, path, observed }) =>
      visibleLine(`${rule}: not confirmed, seen in sequence ${path}: ${observed}`),
    ),
    ...notExplored.map(({ command, reason }) => visibleLine(`not explored: ${command}: ${reason}`)),
    ...(unjudged.length > 0
      ? [
          visibleLine(
            `${countText(unjudged.length, 'sequence')} not judged completely, the last one because: ${unjudged.at(-1)?.reason}`,
          ),
        ]
      : []),
    exploreSentence(report),
  ]
}

/** `1 finding in 400 sequences (13,938 commands); …` */
export function exploreSentence({ findings, sequences, commands, coverage }: ExploreDocument): string {
  const { outcomes = 0, pairs = 0, states = 0 } = coverage
  return `${countText(findings.length, 'finding')} in ${countText(sequences, 'sequence')} (${commands} commands); coverage: ${outcomes} outcomes, ${pairs} pairs of commands, ${states} states`
}

export function findingLines(finding: Finding, paint: Paint = NO_PAINT): string[] {
  const { rule, command, expected, observed, confirmed, path, steps, file } = finding
  return [
    `${paint.red(rule)}  ${visibleLine(command)}`,
    `  expected ${visibleLine(expected)}`,
    `  observed ${visibleLine(observed)}`,
    ...stepLines(steps),
    `  found by sequence ${path}; confirmed ${confirmed.times} of ${confirmed.of} times`,
    `  case     ${file === '' ? NOT_SAVED : visibleLine(file)}`,
  ]
}

/** Commands that were sent at the same time have the same number. */
function stepLines(steps: readonly Step[]): string[] {
  return steps.map(({ turn, text, status }) =>
    visibleLine(`  ${String(turn + 1).padStart(4)}. ${text} -> ${status}`),
  )
}

export function caseLines(
  repeated: {
    file: string
    rule: string
    saved: string
    times: number
    of: number
    observed: string | null
    steps: readonly Step[]
  },
  paint: Paint,
): string[] {
  const { file, rule, saved, times, of, observed, steps } = repeated
  const text =
    observed === null
      ? `did not appear in ${of} runs; it was: ${saved}`
      : `${paint.red('still appears')} in ${times} of ${of} runs: ${observed}`
  return [...stepLines(steps), visibleLine(`${file}: ${rule}: ${text}`)]
}
