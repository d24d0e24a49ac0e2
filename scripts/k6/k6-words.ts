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
