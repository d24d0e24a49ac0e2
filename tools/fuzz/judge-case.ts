/** What must hold of every command, whatever it reads. */
import { EXIT } from '../../contract/breakwater-error.ts'
import { COMMAND_EXITS } from '../../scripts/cli/exit-codes.ts'
import { SENTINEL_SECRET } from './case-folder.ts'

/** What came of a case. */
export type Outcome = {
  argv: readonly string[]
  /** `late`: it did not end within its time; `large`: it took too much memory; both were then killed. */
  ended: { by: 'exit'; code: number } | { by: 'signal'; signal: string } | { by: 'late' } | { by: 'large' }
  stdout: string
  stderr: string
  /** The most that one of its processes held, resident. */
  peakMb: number
  /** Paths outside of what it may write that were made, changed or removed. */
  strays: readonly string[]
  /** Written files that hold what no link may lead to. */
  leaks: readonly string[]
}

export type Violation = { check: keyof typeof CHECKS; saw: string }

/** Bytes that read inputs of some megabytes take, with a wide margin. */
export const PEAK_MB_MAX = 768

/** Each returns what it saw of a breach; null: the case holds. */
export const CHECKS = {
  'ends in time': ({ ended }) => (ended.by === 'late' ? 'still running' : null),
  'ends by itself': ({ ended, stderr }) =>
    ended.by === 'signal' ? `${ended.signal}: ${stderr.slice(0, 300)}` : null,
  memory: ({ ended, peakMb }) =>
    ended.by === 'large' || peakMb > PEAK_MB_MAX ? `${Math.round(peakMb)} MB resident` : null,
  'exit code': ({ ended, argv }) =>
    ended.by === 'exit' && !exitCodesOf(argv).includes(ended.code) ? `exit code ${ended.code}` : null,
  'no stack trace': (outcome) => seen(outcome, STACK_TRACE),
  'no internal error': (outcome) => seen(outcome, /something went wrong in breakwater itself[^\n]*/),
  'no control character': (outcome) => seen(outcome, CONTROL),
  'no stray file': ({ strays }) => (strays.length > 0 ? strays.slice(0, 5).join(', ') : null),
  'no secret': ({ stdout, stderr, leaks }) =>
    `${stdout}${stderr}`.includes(SENTINEL_SECRET) ? 'on a stream' : (leaks[0] ?? null),
} as const satisfies Record<string, (outcome: Outcome) => string | null>

/** Everything that is wrong with a case. */
export function violationsOf(outcome: Outcome): Violation[] {
  return Object.entries(CHECKS).flatMap(([check, judge]) => {
    const saw = judge(outcome)
    return saw === null ? [] : [{ check: check as Violation['check'], saw }] // as: its keys are the checks
  })
}

const STACK_TRACE =
  /\n\s+at (?:async )?(?:[\w.<>$[\] ]+ )?\(?(?:file:|node:|\/)[^\n]*:\d+:\d+|goroutine \d+ \[|Traceback \(most/
const CONTROL = /[^\n]{0,60}(?!\n)\p{Cc}[^\n]{0,20}/u

function seen({ stdout, stderr }: Outcome, what: RegExp): string | null {
  for (const [stream, text] of Object.entries({ stdout, stderr })) {
    const [found] = what.exec(text) ?? []
    if (found !== undefined) return `${stream}: ${JSON.stringify(found.slice(0, 200))}`
  }
  return null
}

/** By docs/exit-codes.md: those of the command, and those of any; nobody interrupts a case. */
function exitCodesOf(argv: readonly string[]): number[] {
  const path = [2, 1].map((words) => argv.slice(0, words).join(' ')).find((name) => name in COMMAND_EXITS)
  const own = Object.keys(COMMAND_EXITS[path ?? ''] ?? EXIT) as (keyof typeof EXIT)[] // as: keys of Meanings
  const codes = [...own.filter((name) => name !== 'interrupted'), 'ok', 'usage', 'environment'] as const
  return codes.map((name) => EXIT[name])
}
