/** Checks for every command, whatever it reads. */

import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT } from '../../contract/breakwater-error.ts'
import { matchesGlob } from '../../contract/match-glob.ts'
import { COMMAND_EXITS } from '../../scripts/commands/exit-codes.ts'

export type Outcome = {
  argv: readonly string[]
  /** `late`: exceeded its time; `large`: exceeded its memory; both were killed. */
  ended: { by: 'exit'; code: number } | { by: 'signal'; signal: string } | { by: 'late' } | { by: 'large' }
  stdout: string
  stderr: string
  /** Largest resident size of one of its processes. */
  peakMb: number
  /** Paths created, changed or removed outside the writable ones. */
  strays: readonly string[]
  /** Written files with content that only a link could reach. */
  leaks: readonly string[]
}

export type Violation = { check: keyof typeof CHECKS; saw: string }

/** Memory to read inputs of several megabytes, with a wide margin. */
export const PEAK_MB_MAX = 768

/** Each returns a description of a violation, or null. */
export const CHECKS = {
  'ends in time': ({ ended }) => (ended.by === 'late' ? 'still running' : null),
  'ends by itself': ({ ended, stderr }) =>
    ended.by === 'signal' ? `${ended.signal}: ${stderr.slice(0, 300)}` : null,
  memory: ({ ended, peakMb }) =>
    ended.by === 'large' || peakMb > PEAK_MB_MAX ? `${Math.round(peakMb)} MB resident` : null,
  'exit code': ({ ended, argv }) =>
    ended.by === 'exit' && !listExitCodes(argv).includes(ended.code) ? `exit code ${ended.code}` : null,
  'no stack trace': (outcome) => seen(outcome, STACK_TRACE),
  'no internal error': (outcome) => seen(outcome, /internal error[^\n]*/),
  'no control character': (outcome) => seen(outcome, CONTROL),
  'no stray file': ({ strays }) => (strays.length > 0 ? strays.slice(0, 5).join(', ') : null),
  'no secret': ({ stdout, stderr, leaks }) =>
    `${stdout}${stderr}`.includes(SENTINEL_SECRET) ? 'on a stream' : (leaks[0] ?? null),
} as const satisfies Record<string, (outcome: Outcome) => string | null>

export function findViolations(outcome: Outcome): Violation[] {
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

/** Exit codes in docs/reference/exit-codes.md: those of the command, and the general ones except interruption. */
function listExitCodes(argv: readonly string[]): number[] {
  const path = [2, 1].map((words) => argv.slice(0, words).join(' ')).find((name) => name in COMMAND_EXITS)
  const own = Object.keys(COMMAND_EXITS[path ?? ''] ?? EXIT) as (keyof typeof EXIT)[] // as: keys of Meanings
  const codes = [...own.filter((name) => name !== 'interrupted'), 'ok', 'usage', 'environment'] as const
  return codes.map((name) => EXIT[name])
}

/** The folder of a case: its working directory, and surroundings that must not change. */
type CaseFolder = { root: string; cwd: string; home: string; tmp: string }

/** In a file next to the working directory: a command that prints or copies it has followed a link. */
export const SENTINEL_SECRET = 'sentinel-secret-4f1c9e'

/** Creates the folders, and a tree that must not change. */
export function makeCaseFolder(root: string): CaseFolder {
  const folder = { root, cwd: join(root, 'cwd'), home: join(root, 'home'), tmp: join(root, 'tmp') }
  for (const dir of [folder.cwd, folder.home, folder.tmp, join(root, 'sentinel', 'inner')])
    mkdirSync(dir, { recursive: true })
  writeFileSync(join(root, 'sentinel', 'secret.txt'), SENTINEL_SECRET)
  writeFileSync(join(root, 'sentinel', 'run.json'), '{}')
  writeFileSync(join(root, 'sentinel', 'inner', 'file.txt'), 'a file')
  return folder
}

/** Maps each path in a folder to its kind, mode and content. Opens only files, and follows no links. */
export function snapshot(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const walk = (path: string) => {
    for (const name of readdirSync(join(root, path))) {
      const inner = join(path, name)
      const stats = lstatSync(join(root, inner))
      found.set(inner, `${stats.mode.toString(8)} ${readContent(join(root, inner), stats)}`)
      if (stats.isDirectory()) walk(inner)
    }
  }
  walk('')
  return found
}

function readContent(path: string, stats: ReturnType<typeof lstatSync>): string {
  if (stats?.isSymbolicLink()) return readlinkSync(path)
  return stats?.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
}

/** Files of other programs: tsx compiles this repository's TypeScript there, and `go` counts its calls. */
const OTHERS = ['tmp/tsx-*', 'home/.config', 'home/.config/go*']

/** Paths created, changed or removed, except those that the command may write: globs below the working directory. */
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
