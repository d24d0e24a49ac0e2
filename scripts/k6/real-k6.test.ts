import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findK6 } from './find-k6.ts'
import { k6Args } from './k6-args.ts'
import { runK6 } from './run-k6.ts'

// Uses the k6 of BREAKWATER_K6 or the cache; these tests do not build one.
const k6 = await findK6({
  env: { ...process.env, PATH: '' },
  k6SourceDir: join(import.meta.dirname, '..', '..', 'k6'),
  onProgress: () => {},
}).catch(() => '')

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'breakwater-real-k6-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test.runIf(k6)('a run writes its findings and a whole series file, and prints nothing', async () => {
  const run = await runScript('export default function () { console.log(JSON.stringify({ rule: "a" })) }')
  expect(run).toMatchObject({ exitCode: 0, reason: 'finished', meaning: 'finished' })
  expect(kept('findings.ndjson')).toBe('{"rule":"a"}\n')
  expect(seriesEnds()).toEqual(['header', 'end'])
  expect([kept('stdout'), kept('stderr')]).toEqual(['', ''])
})

test.runIf(k6)('an aborted run ends gracefully with a whole series file', async () => {
  const abort = new AbortController()
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    if (requests === 2) abort.abort() // the first request has ended and is counted
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // listening on TCP
  const script = `
    import http from 'k6/http'
    export const options = { vus: 1, duration: '10m' }
    export default function () { http.get('http://127.0.0.1:${port}/') }`

  const run = await runScript(script, abort.signal)
  server.close()
  expect(run).toMatchObject({ exitCode: 105, reason: 'interrupted', meaning: 'ended by a signal' })
  expect(kept('stderr')).toContain("test run was aborted because k6 received a 'interrupt' signal")
  expect(seriesEnds()).toEqual(['header', 'end'])
  expect(kept('series.ndjson')).toContain('"metric":"http_reqs"')
})

test.runIf(k6)('no script reads a body beyond the limits, with the kit or without', async () => {
  const bomb = gzipSync(Buffer.alloc(9 * 2 ** 20, 'x'))
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // listening on TCP
  await runScript(`
    import http from 'k6/http'
    const url = 'http://127.0.0.1:${port}/'
    const print = (where, response) => console.log([where, response.status, response.error].join('; '))
    export function setup() { print('setup', http.get(url)) }
    export default async function () {
      print('get', http.get(url))
      print('request', http.request('POST', url, 'body'))
      for (const response of http.batch([url, url])) print('batch', response)
      print('async', await http.asyncRequest('GET', url))
    }
    export function teardown() { print('teardown', http.get(url)) }`)
  server.close()
  expect(kept('findings.ndjson').trimEnd().split('\n')).toEqual(
    ['setup', 'get', 'request', 'batch', 'batch', 'async', 'teardown'].map(
      (where) => `${where}; 0; the response body is longer than 8 MiB`,
    ),
  )
})

test.runIf(k6)('the saved output names a script that does not compile', async () => {
  const run = await runScript('export default function ( {')
  expect(run).toMatchObject({ exitCode: 107, reason: 'finished', meaning: 'the script threw an exception' })
  expect(kept('stderr')).toContain(join(folder, 'script.ts'))
})

function runScript(source: string, signal?: AbortSignal) {
  const at = (name: string) => join(folder, name)
  const script = at('script.ts')
  writeFileSync(script, source)
  return runK6({
    binary: k6,
    args: k6Args({ script, seriesFile: at('series.ndjson'), findingsFile: at('findings.ndjson') }),
    env: process.env,
    cwd: folder,
    deadlineMs: 30_000,
    graceMs: 10_000,
    stdoutFile: at('stdout'),
    stderrFile: at('stderr'),
    ...(signal && { signal }),
  })
}

function kept(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

function seriesEnds(): unknown[] {
  const lines = kept('series.ndjson').trimEnd().split('\n')
  return [lines[0], lines.at(-1)].map((line) => JSON.parse(line ?? '').type)
}
