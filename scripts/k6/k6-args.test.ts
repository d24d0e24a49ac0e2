import { totalmem } from 'node:os'
import { expect, test } from 'vitest'
import { goMemoryLimit, k6Args, k6Env } from './k6-args.ts'

test('a run is quiet, offline, without end summary and thresholds; further flags come before the script', () => {
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

test('the environment goes on to k6, but for the K6_ settings of the shell', () => {
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

test('k6 gets 0.8 of the memory that there is, each of several its part of it', () => {
  expect([1, 4].map((processes) => goMemoryLimit(processes, 1000))).toEqual(['800', '200'])
  expect(k6Env({}, { processes: 2 }).GOMEMLIMIT).toBe(goMemoryLimit(2))
  expect(Number(goMemoryLimit(1))).toBeLessThanOrEqual(0.8 * totalmem())
})

test('a GOMEMLIMIT of the user stays, also one that sets none', () => {
  for (const GOMEMLIMIT of ['2GiB', 'off', '']) expect(k6Env({ GOMEMLIMIT }).GOMEMLIMIT).toBe(GOMEMLIMIT)
})
