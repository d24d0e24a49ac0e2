import { parse, resolve } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { shownAddress } from '../../contract/shown-address.ts'

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
