import { totalmem } from 'node:os'
import { parse, resolve } from 'node:path'
import process from 'node:process'
import { shownAddress } from '../../contract/addresses.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'

export type K6ArgsOptions = {
  script: string
  /** Written anew. */
  seriesFile: string
  /** Takes each console.log, .warn and .error of the script as a line of its own. k6 appends to it. */
  findingsFile: string
  /** Further flags of `k6 run`. */
  flags?: readonly string[]
}

/**
 * The arguments of one run. Parameters of the script go into the environment of the process, where it finds them in
 * __ENV: `-e` would show secrets to everybody who can list processes.
 */
export function k6Args({ script, seriesFile, findingsFile, flags = [] }: K6ArgsOptions): string[] {
  return [
    'run',
    '--quiet',
    '--no-color',
    '--no-usage-report',
    '--log-format=raw',
    `--console-output=${findingsFile}`,
    `--out=series=${seriesFile}`,
    '--address=', // no REST API, hence no port that two runs fight for
    // k6 keeps every sample of every trend in memory for its end summary and for thresholds, for these even where there
    // are none. Verdicts come from series and findings, so both are off; a long run then needs no more than a short one.
    '--summary-mode=disabled',
    '--no-thresholds',
    ...flags,
    script,
  ]
}

/**
 * The environment of a run: the given one, but none of the user's own K6_ settings, which would override a scenario's; save those
 * that begin with one of `kept`: of outputs that were asked for. `processes`: how many k6 share the machine's memory.
 */
export function k6Env(
  env: NodeJS.ProcessEnv,
  { kept = [], processes = 1 }: { kept?: readonly string[] | undefined; processes?: number | undefined } = {},
): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(
    ([name]) => !name.startsWith('K6_') || kept.some((prefix) => name.startsWith(prefix)),
  )
  return {
    GOMEMLIMIT: goMemoryLimit(processes),
    ...Object.fromEntries(others),
    K6_AUTO_EXTENSION_RESOLUTION: 'false', // else an import of k6/x/… downloads a binary
    K6_NO_USAGE_REPORT: 'true',
  }
}

/** Of the memory that there is: the rest is for the commands, a stub, and what else the machine does. */
const SHARE = 0.8

/**
 * GOMEMLIMIT of each of so many k6 processes, in bytes: near it, Go collects garbage more often rather than let memory grow. It is no hard
 * limit. Of the memory of this machine, or of the control group that this process is in.
 */
export function goMemoryLimit(processes: number, memoryBytes = availableBytes()): string {
  return String(Math.floor((memoryBytes * SHARE) / processes))
}

/** Without a control group Node says 0, or a number beyond all memory. */
function availableBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

/** One of k6's own outputs, to which a run is to write beside its series. */
export type K6Out = { name: string; argument: string | null }

/** The outputs that are passed through: how the names of their settings in the environment begin, and whether they write files. */
const OUTPUTS: ReadonlyMap<string, { settings: string; writesFile: boolean }> = new Map([
  ['cloud', { settings: 'K6_CLOUD_', writesFile: false }],
  ['csv', { settings: 'K6_CSV_', writesFile: true }],
  ['experimental-prometheus-rw', { settings: 'K6_PROMETHEUS_RW_', writesFile: false }],
  ['influxdb', { settings: 'K6_INFLUXDB_', writesFile: false }],
  ['json', { settings: 'K6_JSON_', writesFile: true }],
  ['opentelemetry', { settings: 'K6_OTEL_', writesFile: false }],
])

/**
 * Reads what `--k6-out` was given: as k6's own `--out` takes it, `NAME` or `NAME=ARGUMENT`; a file is meant from the user's
 * folder. Throws a BreakwaterError (usage).
 */
export function parseK6Out(spec: string, cwd: string): K6Out {
  const [name = '', ...rest] = spec.split('=')
  const argument = rest.join('=')
  const output = OUTPUTS.get(name)
  if (output === undefined) {
    throw refused(`--k6-out ${shownSpec(spec)}: "${name}" is none of the outputs of k6 that it passes on`)
  }
  if (!output.writesFile) {
    mustHoldNoSecret(spec)
    return { name, argument: argument === '' ? null : argument }
  }
  if (argument === '') throw refused(`--k6-out ${shownSpec(spec)}: names no file`)
  return { name, argument: resolve(cwd, argument) }
}

/** Throws a BreakwaterError (usage) if an output is given a password or token: process list, run.json and `--verbose` would show it. */
export function mustHoldNoSecret(spec: string): void {
  if (!LOGIN.test(spec) && !SECRET_PARAMETER.test(spec)) return
  const settings = OUTPUTS.get(spec.split('=')[0] ?? '')?.settings ?? 'K6_'
  throw new BreakwaterError(
    `--k6-out ${shownSpec(spec)}: holds a password or token, which others could see`,
    {
      hint: `Give it in the environment, in the settings ${settings}… of the output, such as K6_INFLUXDB_USERNAME and K6_INFLUXDB_PASSWORD.`,
    },
  )
}

const LOGIN = /:[\\/]{2}[^\\/?#]*@/
const SECRET_PARAMETER = /[=?&,;][^=?&,;]*(auth|credential|key|passw|secret|signature|token)[^=?&,;]*=/i

/** An output as it may be shown. */
export function shownSpec(spec: string): string {
  const [name = '', ...rest] = spec.split('=')
  return [name, ...(rest.length === 0 ? [] : [shownAddress(rest.join('='))])].join('=')
}

/**
 * The flag for one k6 process. `label` tells apart those that would write the same file: `out.json` becomes
 * `out-LABEL.json`.
 */
export function outFlag({ name, argument }: K6Out, label: string): string {
  if (argument === null) return `--out=${name}`
  if (label === '' || !writesFile({ name, argument })) return `--out=${name}=${argument}`
  const { dir, base } = parse(argument)
  const [stem = '', ...extensions] = base.split('.')
  return `--out=${name}=${resolve(dir, [`${stem}-${label}`, ...extensions].join('.'))}`
}

/** Whether an output writes a file of this machine, and sends nothing. */
export function writesFile({ name }: K6Out): boolean {
  return OUTPUTS.get(name)?.writesFile === true
}

/** The beginnings of the settings that k6 is to see for these outputs; it sees no others. */
export function outSettings(outs: readonly K6Out[]): string[] {
  return outs.flatMap(({ name }) => OUTPUTS.get(name)?.settings ?? [])
}

function refused(message: string): BreakwaterError {
  return new BreakwaterError(message, {
    hint: `Expected NAME or NAME=ARGUMENT as for k6's own --out, with one of ${[...OUTPUTS.keys()].join(', ')}.`,
  })
}

/**
 * What k6's exit codes mean (go.k6.io/k6/v2@v2.2.0, errext/exitcodes/codes.go, and where they are used). 97, 98 belong to
 * runs in Grafana's cloud, and 103, 106 to the REST API, which is off here.
 */
const MEANINGS: Readonly<Record<number, string>> = {
  0: 'finished',
  97: 'the cloud test run failed',
  98: 'the progress of the cloud test run could not be read',
  99: 'a threshold was crossed',
  100: 'setup() timed out',
  101: 'teardown() timed out',
  102: 'timed out',
  103: 'stopped through the REST API',
  104: 'invalid configuration of the test',
  105: 'ended by a signal',
  106: 'the REST API server could not be started',
  107: 'the script threw an exception',
  108: 'the script called test.abort()',
  109: 'k6 panicked',
  110: 'the script called test.fail()',
  255: 'k6 could not start the run: a file is missing, an option unknown, or an output cannot be written',
}

/** One of the two is null, as with a child process of Node. */
export function exitMeaning(exitCode: number | null, signal: NodeJS.Signals | null): string {
  if (exitCode === null) return `killed by ${signal}`
  return MEANINGS[exitCode] ?? `ended with the unknown exit code ${exitCode}`
}

const UNITS_MS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  µs: 1e-3,
  ns: 1e-6,
}

/** Milliseconds of a duration as k6 writes them: `10m30s`, `1h0m0.5s`. Throws a RangeError for anything else. */
export function durationMs(text: string): number {
  if (!/^([0-9.]+(d|h|ms|m|s|µs|ns))+$/.test(text)) throw new RangeError(`not a duration: ${text}`)
  const parts = text.matchAll(/([0-9.]+)(d|h|ms|m|s|µs|ns)/g)
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS_MS[unit] ?? 0), 0)
}
