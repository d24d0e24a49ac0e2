import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readPoints } from '../../../reports/series/read-series.ts'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { findK6 } from '../../k6/find-k6.ts'
import { runK6 } from '../../k6/run-k6.ts'
import { readGeneratorHealth } from '../../load/generator-health.ts'
import { startCollector, TEST_TOKEN } from './test-collector.ts'

// Uses the k6 of BREAKWATER_K6 or the cache; these tests do not build one.
const k6 = await findK6({
  env: { ...process.env, PATH: '' },
  k6SourceDir: join(import.meta.dirname, '..', '..', '..', 'k6'),
  onProgress: () => {},
}).catch(() => '')

const ITERATIONS = 50

const SCRIPT = `
  import http from 'k6/http'
  import { sleep } from 'k6'
  export const options = { vus: 1, iterations: ${ITERATIONS} }
  export default function () {
    http.get(__ENV.TARGET)
    sleep(0.05)
  }`

test.runIf(k6)('measurements survive a temporary outage of the collector', async () => {
  const collector = await startCollector()
  let state: Promise<unknown> = Promise.resolve()
  const target = await countRequests((requests) => {
    // Down for a second while k6 has data; then back over the same folder.
    if (requests === 10) state = collector.close()
    if (requests === 35) {
      const { dir, url } = collector
      state = state.then(() => startCollector({ dir, port: Number(new URL(url).port) }))
    }
  })
  const run = await runScript(`${collector.url}/files/series-1.ndjson`, target.url)
  await state
  expect(run).toMatchObject({ exitCode: 0 })

  const file = join(collector.dir, 'series-1.ndjson')
  let counted = 0
  const read = await readPoints(file, {
    isNeeded: (metric) => metric === 'http_reqs',
    onPoint: ({ sum }) => {
      counted += sum
    },
  })
  expect(read).toEqual({ complete: true, damaged: false, notes: [] })
  expect([counted, target.requests()]).toEqual([ITERATIONS, ITERATIONS])
  const health = await readGeneratorHealth([file], { from: 0, to: Number.MAX_SAFE_INTEGER, cores: -1 })
  expect(health.cpuCoresMax).toBeGreaterThan(0)
})

test.runIf(k6)('a runner with a wrong token does not start, and explains why', async () => {
  const collector = await startCollector()
  const target = await countRequests(() => {})
  const run = await runScript(`${collector.url}/files/series-1.ndjson`, target.url, 'token-of-another')
  expect([run.exitCode, target.requests()]).toEqual([255, 0])
  expect(run.stderr).toContain(
    'the series output cannot write its file: the collector returned 401 Unauthorized: K6_SERIES_TOKEN is not its token',
  )
})

async function runScript(series: string, target: string, token = TEST_TOKEN) {
  const cwd = temporaryFolder()
  const at = (name: string) => join(cwd, name)
  writeFileSync(at('script.js'), SCRIPT)
  const run = await runK6({
    binary: k6,
    args: [
      'run',
      '--quiet',
      '--address=',
      '--summary-mode=disabled',
      '--out',
      `series=${series}`,
      at('script.js'),
    ],
    env: { ...process.env, TARGET: target, K6_SERIES_TOKEN: token, K6_SERIES_WATCH: 'true' },
    k6EnvPrefixes: ['K6_SERIES_'],
    cwd,
    deadlineMs: 60_000,
    graceMs: 10_000,
    stdoutFile: at('stdout'),
    stderrFile: at('stderr'),
  })
  return { ...run, stderr: readFileSync(at('stderr'), 'utf8') }
}

async function countRequests(
  onRequest: (requests: number) => void,
): Promise<{ url: string; requests(): number }> {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    onRequest(requests)
    response.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, // as: it listens on TCP
    requests: () => requests,
  }
}
