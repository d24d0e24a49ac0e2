import { totalmem } from 'node:os'
import { parse, resolve } from 'node:path'
import process from 'node:process'
import { shownAddress } from '../../contract/addresses.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { unknownName } from '../../contract/unknown-name.ts'

export type K6ArgsOptions = {
  script: string
  seriesFile: string
  /** Receives each console.log, .warn and .error of the script as one line. k6 appends to it. */
  findingsFile: string
  /** Receives the operation log (contract/history.ts); none by default. */
  historyFile?: string | undefined
  flags?: readonly string[]
}

/** Script parameters go into the environment (__ENV), because `-e` would show secrets in the process list. */
export function k6Args({
  script,
  seriesFile,
  findingsFile,
  historyFile,
  flags = [],
}: K6ArgsOptions): string[] {
  return [
    'run',
    '--quiet',
    '--no-color',
    '--no-usage-report',
    '--log-format=raw',
    `--console-output=${findingsFile}`,
    `--out=series=${seriesFile}`,
    ...(historyFile === undefined ? [] : [`--out=history=${historyFile}`]),
    '--address=', // no REST API, so two runs cannot conflict over its port
    // k6 keeps every trend sample in memory for its end summary and for thresholds, even without any. Verdicts come
    // from series and findings, so both are off, and memory does not grow with the run.
    '--summary-mode=disabled',
    '--no-thresholds',
    ...flags,
    script,
  ]
}

/**
 * Drops the user's K6_ settings, which would override a scenario's, except those of requested outputs (prefixes in
 * `k6Prefixes`). `processes`: how many k6 share the machine's memory.
 */
export function k6Env(
  env: NodeJS.ProcessEnv,
  {
    k6Prefixes = [],
    processes = 1,
  }: { k6Prefixes?: readonly string[] | undefined; processes?: number | undefined } = {},
): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(
    ([name]) => !name.startsWith('K6_') || k6Prefixes.some((prefix) => name.startsWith(prefix)),
  )
  return {
    GOMEMLIMIT: goMemoryLimit(processes),
    ...Object.fromEntries(others),
    K6_AUTO_EXTENSION_RESOLUTION: 'false', // else an import of k6/x/… downloads a binary
    K6_NO_USAGE_REPORT: 'true',
  }
}

/** Share of the memory for k6; the rest is for the command, a stub and other processes. */
const SHARE = 0.8

/**
 * GOMEMLIMIT for each process, in bytes: a soft limit, near which Go collects garbage more often. Based on the memory
 * of this machine or of this process's control group.
 */
export function goMemoryLimit(processes: number, memoryBytes = availableBytes()): string {
  return String(Math.floor((memoryBytes * SHARE) / processes))
}

/** Without a control group, Node returns 0 or a number beyond all memory. */
function availableBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

export type K6Out = { name: string; argument: string | null }

/** Supported outputs: the prefix of their environment settings, those for secrets, and whether they write files. */
const OUTPUTS: ReadonlyMap<string, { settings: string; secrets?: string; writesFile: boolean }> = new Map([
  ['cloud', { settings: 'K6_CLOUD_', secrets: 'K6_CLOUD_TOKEN', writesFile: false }],
  ['csv', { settings: 'K6_CSV_', writesFile: true }],
  [
    'experimental-prometheus-rw',
    {
      settings: 'K6_PROMETHEUS_RW_',
      secrets: 'K6_PROMETHEUS_RW_USERNAME and K6_PROMETHEUS_RW_PASSWORD',
      writesFile: false,
    },
  ],
  [
    'influxdb',
    { settings: 'K6_INFLUXDB_', secrets: 'K6_INFLUXDB_USERNAME and K6_INFLUXDB_PASSWORD', writesFile: false },
  ],
  ['json', { settings: 'K6_JSON_', writesFile: true }],
  ['opentelemetry', { settings: 'K6_OTEL_', secrets: 'K6_OTEL_HEADERS', writesFile: false }],
])

/**
 * Parses `--k6-out` like k6's own `--out`: `NAME` or `NAME=ARGUMENT`; files are relative to the working directory.
 * Throws a BreakwaterError (usage).
 */
export function parseK6Out(spec: string, cwd: string): K6Out {
  const [name = '', ...rest] = spec.split('=')
  const argument = rest.join('=')
  const output = OUTPUTS.get(name)
  if (output === undefined) {
    throw unknownName(`--k6-out ${shownSpec(spec)}: unknown output ${JSON.stringify(name)}`, {
      name,
      names: [...OUTPUTS.keys()],
      listed: 'docs/guides/distributed-load.md lists all outputs.',
    })
  }
  if (!output.writesFile) {
    requireNoSecret(spec)
    return { name, argument: argument === '' ? null : argument }
  }
  if (argument === '') throw refused(`--k6-out ${shownSpec(spec)}: expected a file name`)
  return { name, argument: resolve(cwd, argument) }
}

/**
 * Throws a BreakwaterError (usage) if an output contains a password or token, which the process list, run.json and
 * `--verbose` would show.
 */
export function requireNoSecret(spec: string): void {
  if (!LOGIN.test(spec) && !SECRET_PARAMETER.test(spec)) return
  const { secrets } = OUTPUTS.get(spec.split('=')[0] ?? '') ?? {}
  throw new BreakwaterError(
    `--k6-out ${shownSpec(spec)}: contains a password or token, which others could see`,
    {
      hint:
        secrets === undefined
          ? 'Remove it: this output needs none.'
          : `Set it in the environment instead, in ${secrets}.`,
    },
  )
}

const LOGIN = /:[\\/]{2}[^\\/?#]*@/
const SECRET_PARAMETER = /[=?&,;][^=?&,;]*(auth|credential|key|passw|secret|signature|token)[^=?&,;]*=/i

export function shownSpec(spec: string): string {
  const [name = '', ...rest] = spec.split('=')
  return [name, ...(rest.length === 0 ? [] : [shownAddress(rest.join('='))])].join('=')
}

/** Adds `label` to file names, so that processes do not write the same file: `out.json` becomes `out-LABEL.json`. */
export function outFlag({ name, argument }: K6Out, label: string): string {
  if (argument === null) return `--out=${name}`
  if (label === '' || !writesFile({ name, argument })) return `--out=${name}=${argument}`
  const { dir, base } = parse(argument)
  const [stem = '', ...extensions] = base.split('.')
  return `--out=${name}=${resolve(dir, [`${stem}-${label}`, ...extensions].join('.'))}`
}

export function writesFile({ name }: K6Out): boolean {
  return OUTPUTS.get(name)?.writesFile === true
}

/** Prefixes of the settings that k6 sees for these outputs; all others are hidden. */
export function outSettings(outs: readonly K6Out[]): string[] {
  return outs.flatMap(({ name }) => OUTPUTS.get(name)?.settings ?? [])
}

function refused(message: string): BreakwaterError {
  return new BreakwaterError(message, {
    hint: 'For example csv=samples.csv, or json=samples.json.gz.',
  })
}

/**
 * Meanings of k6's exit codes (go.k6.io/k6/v2@v2.2.0, errext/exitcodes/codes.go). 97 and 98 are for Grafana's cloud;
 * 103 and 106 for the REST API, which is off here.
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

/** Exactly one argument is null, as in a child process's exit event. */
export function exitMeaning(exitCode: number | null, signal: NodeJS.Signals | null): string {
  if (exitCode === null) return `killed by ${signal}`
  return MEANINGS[exitCode] ?? `exited with the unknown code ${exitCode}`
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

/** Parses a duration as k6 prints it: `10m30s`, `1h0m0.5s`. Throws a RangeError for anything else. */
export function durationMs(text: string): number {
  if (!/^([0-9.]+(d|h|ms|m|s|µs|ns))+$/.test(text)) throw new RangeError(`not a duration: ${text}`)
  const parts = text.matchAll(/([0-9.]+)(d|h|ms|m|s|µs|ns)/g)
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS_MS[unit] ?? 0), 0)
}
