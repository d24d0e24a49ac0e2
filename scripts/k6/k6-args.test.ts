import { totalmem } from 'node:os'
import { expect, test } from 'vitest'
import {
  durationMs,
  exitMeaning,
  goMemoryLimit,
  k6Args,
  k6Env,
  outFlag,
  outSettings,
  parseK6Out,
} from './k6-args.ts'

test('a run is quiet and offline, without end summary and thresholds; further flags precede the script', () => {
  const files = {
    script: 'paging.k6.ts',
    seriesFile: '/run/series.ndjson',
    findingsFile: '/run/findings.ndjson',
  }
  expect(k6Args({ ...files, flags: ['--local-ips=127.0.1.1-127.0.1.20'] })).toEqual([
    'run',
    '--quiet',
    '--no-color',
    '--no-usage-report',
    '--log-format=raw',
    '--console-output=/run/findings.ndjson',
    '--out=series=/run/series.ndjson',
    '--address=',
    '--summary-mode=disabled',
    '--no-thresholds',
    '--local-ips=127.0.1.1-127.0.1.20',
    'paging.k6.ts',
  ])
})

test('passes the environment to k6, except K6_ settings of the shell', () => {
  expect(
    k6Env({ PATH: '/bin', K6_VUS: '9', K6_NO_USAGE_REPORT: 'false', BREAKWATER_API_TOKENS: 'a' }),
  ).toEqual({
    PATH: '/bin',
    BREAKWATER_API_TOKENS: 'a',
    GOMEMLIMIT: goMemoryLimit(1),
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    K6_NO_USAGE_REPORT: 'true',
  })
})

test('k6 gets 0.8 of the memory, shared between processes', () => {
  expect([1, 4].map((processes) => goMemoryLimit(processes, 1000))).toEqual(['800', '200'])
  expect(k6Env({}, { processes: 2 }).GOMEMLIMIT).toBe(goMemoryLimit(2))
  expect(Number(goMemoryLimit(1))).toBeLessThanOrEqual(0.8 * totalmem())
})

test('keeps a GOMEMLIMIT of the user, even one that disables it', () => {
  for (const GOMEMLIMIT of ['2GiB', 'off', '']) expect(k6Env({ GOMEMLIMIT }).GOMEMLIMIT).toBe(GOMEMLIMIT)
})

test.each([
  ['experimental-prometheus-rw', { name: 'experimental-prometheus-rw', argument: null }],
  ['opentelemetry', { name: 'opentelemetry', argument: null }],
  ['json=out.json', { name: 'json', argument: '/here/out.json' }],
  ['csv=/else/where=x.csv', { name: 'csv', argument: '/else/where=x.csv' }],
  ['influxdb=http://host:8086/k6?a=b', { name: 'influxdb', argument: 'http://host:8086/k6?a=b' }],
])('reads %s', (spec, out) => {
  expect(parseK6Out(spec, '/here')).toEqual(out)
})

const OUTPUTS_LISTED = 'docs/guides/distributed-load.md lists all outputs.'

test.each([
  [
    'series=x',
    '--k6-out series=x: unknown output "series"',
    `Did you mean cloud, csv or json? ${OUTPUTS_LISTED}`,
  ],
  [
    'toString',
    '--k6-out toString: unknown output "toString"',
    `Did you mean json, csv or cloud? ${OUTPUTS_LISTED}`,
  ],
  ['json', '--k6-out json: expected a file name', 'For example csv=samples.csv, or json=samples.json.gz.'],
  ['csv=', '--k6-out csv=: expected a file name', 'For example csv=samples.csv, or json=samples.json.gz.'],
])('refuses "%s"', (spec, message, hint) => {
  expect(() => parseK6Out(spec, '/here')).toThrow(expect.objectContaining({ message, hint, exitCode: 2 }))
})

test.each([
  ['influxdb=http://me:s3cret@db:8086/k6', 'influxdb=http://db:8086/k6', 'K6_INFLUXDB_'],
  ['influxdb=http://s3cret@db:8086/k6', 'influxdb=http://db:8086/k6', 'K6_INFLUXDB_'],
  ['influxdb=http://db/k6?a=b&password=s3cret', 'influxdb=http://db/k6', 'K6_INFLUXDB_'],
  [
    'experimental-prometheus-rw=https://me:s3cret@db/write',
    'experimental-prometheus-rw=https://db/write',
    'K6_PROMETHEUS_RW_',
  ],
])('rejects the secret of %s without repeating it', (spec, shown, settings) => {
  expect(() => parseK6Out(spec, '/here')).toThrow(
    expect.objectContaining({
      message: `--k6-out ${shown}: contains a password or token, which others could see`,
      hint: `Set it in the environment instead, in ${settings}USERNAME and ${settings}PASSWORD.`,
      exitCode: 2,
    }),
  )
})

test('nor is the secret of an unsupported output repeated', () => {
  expect(() => parseK6Out('kafka=tcp://me:s3cret@broker?token=s3cret', '/here')).toThrow(
    '--k6-out kafka=tcp://broker: unknown output "kafka"',
  )
})

test.each([
  ['json=out.json', '', '--out=json=/here/out.json'],
  ['json=out.json.gz', 'trial-2-1', '--out=json=/here/out-trial-2-1.json.gz'],
  ['csv=out', '2', '--out=csv=/here/out-2'],
  ['experimental-prometheus-rw', '2', '--out=experimental-prometheus-rw'],
  ['influxdb=http://host/k6', '2', '--out=influxdb=http://host/k6'],
])('%s with the label "%s" is %s', (spec, label, flag) => {
  expect(outFlag(parseK6Out(spec, '/here'), label)).toBe(flag)
})

test('shows k6 the settings of these outputs', () => {
  expect(outSettings([])).toEqual([])
  expect(outSettings(['experimental-prometheus-rw', 'json=x'].map((spec) => parseK6Out(spec, '/')))).toEqual([
    'K6_PROMETHEUS_RW_',
    'K6_JSON_',
  ])
})

test.each([
  [0, 'finished'],
  [97, 'the cloud test run failed'],
  [98, 'the progress of the cloud test run could not be read'],
  [99, 'a threshold was crossed'],
  [100, 'setup() timed out'],
  [101, 'teardown() timed out'],
  [102, 'timed out'],
  [103, 'stopped through the REST API'],
  [104, 'invalid configuration of the test'],
  [105, 'ended by a signal'],
  [106, 'the REST API server could not be started'],
  [107, 'the script threw an exception'],
  [108, 'the script called test.abort()'],
  [109, 'k6 panicked'],
  [110, 'the script called test.fail()'],
  [255, 'k6 could not start the run: a file is missing, an option unknown, or an output cannot be written'],
  [111, 'exited with the unknown code 111'],
])('exit code %i: %s', (exitCode, meaning) => {
  expect(exitMeaning(exitCode, null)).toBe(meaning)
})

test('names the signal that killed k6', () => {
  expect(exitMeaning(null, 'SIGKILL')).toBe('killed by SIGKILL')
})

test.each([
  ['33s', 33_000],
  ['10m30s', 630_000],
  ['1h0m0.5s', 3_600_500],
  ['1d2h', 93_600_000],
  ['500ms', 500],
  ['0s', 0],
])('%s is %d ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms)
})

test.each(['', '5', 's', '5 s', '1m-3s'])('%j is not a duration', (text) => {
  expect(() => durationMs(text)).toThrow(RangeError)
})
