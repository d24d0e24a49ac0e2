/** What must hold of every command, whatever it reads. */

import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT } from '../../contract/breakwater-error.ts'
import { matchesGlob } from '../../contract/match-glob.ts'
import { COMMAND_EXITS } from '../../scripts/commands/exit-codes.ts'

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
  'no internal error': (outcome) => seen(outcome, /internal error[^\n]*/),
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

/** The folder of a case: where its command runs, and what must stay as it is around that. */
type CaseFolder = { root: string; cwd: string; home: string; tmp: string }

/** In a file beside the working directory: whoever prints or copies it has followed a link. */
export const SENTINEL_SECRET = 'sentinel-secret-4f1c9e'

/** Makes the folders, and a tree that nobody may touch. */
export function makeCaseFolder(root: string): CaseFolder {
  const folder = { root, cwd: join(root, 'cwd'), home: join(root, 'home'), tmp: join(root, 'tmp') }
  for (const dir of [folder.cwd, folder.home, folder.tmp, join(root, 'sentinel', 'inner')])
    mkdirSync(dir, { recursive: true })
  writeFileSync(join(root, 'sentinel', 'secret.txt'), SENTINEL_SECRET)
  writeFileSync(join(root, 'sentinel', 'run.json'), '{}')
  writeFileSync(join(root, 'sentinel', 'inner', 'file.txt'), 'a file')
  return folder
}

/** Everything in a folder by its path: kind, mode, and what it holds. Follows and opens nothing but files. */
export function snapshot(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const walk = (path: string) => {
    for (const name of readdirSync(join(root, path))) {
      const inner = join(path, name)
      const stats = lstatSync(join(root, inner))
      found.set(inner, `${stats.mode.toString(8)} ${contentOf(join(root, inner), stats)}`)
      if (stats.isDirectory()) walk(inner)
    }
  }
  walk('')
  return found
}

function contentOf(path: string, stats: ReturnType<typeof lstatSync>): string {
  if (stats?.isSymbolicLink()) return readlinkSync(path)
  return stats?.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
}

/** Of other programs: tsx compiles this repository's TypeScript there, and any `go` counts how often it is called. */
const OTHERS = ['tmp/tsx-*', 'home/.config', 'home/.config/go*']

/** Paths that were made, changed or removed, except those that the command may write: globs below the working directory. */
export function strayChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  writes: readonly string[],
): string[] {
  const allowed = [...writes.map((path) => `cwd/${path}`), ...OTHERS]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .filter((path) => !allowed.some((glob) => glob === path || matchesGlob(glob, path)))
}

/** Files that were written and hold what stands in the sentinel's secret file. */
export function leakingFiles(
  root: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...after]
    .filter(([path, state]) => before.get(path) !== state && lstatSync(join(root, path)).isFile())
    .map(([path]) => path)
    .filter((path) => readFileSync(join(root, path)).includes(SENTINEL_SECRET))
}
