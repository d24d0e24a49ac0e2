import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { gatherFiles } from './gather-files.ts'
import { requestAt, startCollector } from './test-collector.ts'

/**
 * A clock for the waits between two polls: `begun` resolves when a wait starts; `next` also ends it and returns its
 * length.
 */
function steps() {
  const waits = new Set<{ ms: number; end: () => void }>()
  let log = () => {}
  const begun = async () => {
    if (waits.size === 0) await new Promise<void>((logged) => (log = logged))
    const [first] = waits
    return first ?? expect.fail()
  }
  return {
    begun,
    wait: (ms: number, signal: AbortSignal) =>
      new Promise<void>((done) => {
        const end = () => {
          waits.delete(given)
          signal.removeEventListener('abort', end)
          done()
        }
        const given = { ms, end }
        if (signal.aborted) return done()
        signal.addEventListener('abort', end)
        waits.add(given)
        log()
      }),
    async next(): Promise<number> {
      const { ms, end } = await begun()
      end()
      return ms
    },
  }
}

const filesIn = (folder: string, ...names: string[]) =>
  names.map((name, index) => ({ name, file: join(folder, `series-${index + 1}.ndjson`) }))
const text = (folder: string, number: number) => readFileSync(join(folder, `series-${number}.ndjson`), 'utf8')

test('collects data as it arrives, and the rest at the end', async () => {
  const { url, append } = await startCollector()
  const folder = temporaryFolder()
  const { wait, next, begun } = steps()
  await append('series-x-1.ndjson', 0, 'one\ntw')
  const gathering = gatherFiles({
    request: requestAt(url),
    files: filesIn(folder, 'series-x-1.ndjson', 'series-x-2.ndjson'),
    wait,
  })
  await begun()
  expect(text(folder, 1)).toBe('one\n')
  await append('series-x-1.ndjson', 6, 'o\n')
  await append('series-x-2.ndjson', 0, 'first\n')
  expect(await next()).toBe(2000)
  await begun()
  expect([text(folder, 1), text(folder, 2)]).toEqual(['one\ntwo\n', 'first\n'])
  await append('series-x-2.ndjson', 6, 'last\n')
  await gathering.finish()
  expect([text(folder, 2), gathering.problem()]).toEqual(['first\nlast\n', null])
})

test('polls again after an outage, and loses nothing', async () => {
  const first = await startCollector()
  const folder = temporaryFolder()
  const { wait, next, begun } = steps()
  await first.append('a', 0, 'one\n')
  const gathering = gatherFiles({ request: requestAt(first.url), files: filesIn(folder, 'a'), wait })
  await begun()
  await first.append('a', 4, 'two\n')
  await first.close()
  await next()
  await begun()
  expect(gathering.problem()).toMatch(/^\/files: connect ECONNREFUSED /)
  const finished = gathering.finish()
  await begun() // the first of the last polls has failed too
  await startCollector({ dir: first.dir, port: Number(new URL(first.url).port) })
  expect(await next()).toBe(5000)
  await finished
  expect([text(folder, 1), gathering.problem()]).toEqual(['one\ntwo\n', null])
})

test('gives up on a lost collector, and keeps what was collected', async () => {
  const { url, append, close } = await startCollector()
  const folder = temporaryFolder()
  const { wait, next, begun } = steps()
  await append('a', 0, 'one\n')
  const gathering = gatherFiles({ request: requestAt(url), files: filesIn(folder, 'a'), wait })
  await begun()
  await close()
  const finished = gathering.finish()
  let waitedMs = 0
  for (let looks = 1; looks < 12; looks++) waitedMs += await next()
  await finished
  expect(waitedMs).toBe(55_000)
  expect(gathering.problem()).toMatch(/^\/files: connect ECONNREFUSED /)
  expect(text(folder, 1)).toBe('one\n')
})

test('does not retry a rejected token', async () => {
  const { url } = await startCollector()
  const { wait, begun } = steps()
  const gathering = gatherFiles({ request: requestAt(url, 'another'), files: [], wait })
  await begun()
  await gathering.finish()
  expect(gathering.problem()).toBe('/files: returned 401: x-breakwater-token: wrong token')
})

test('polls many runners less often', async () => {
  const { url } = await startCollector()
  const { wait, next } = steps()
  const names = Array.from({ length: 100 }, (_, index) => `series-x-${index + 1}.ndjson`)
  const gathering = gatherFiles({
    request: requestAt(url),
    files: filesIn(temporaryFolder(), ...names),
    wait,
  })
  expect(await next()).toBe(10_000)
  await gathering.stop()
})

test('collects other files on request', async () => {
  const { url, append } = await startCollector()
  const folder = temporaryFolder()
  await append('raw-x-1.csv', 0, 'a,b\n')
  await append('other', 0, 'x\n')
  const gathering = gatherFiles({
    request: requestAt(url),
    files: [],
    resolveFile: (name) => (name.startsWith('raw-') ? join(folder, name) : null),
  })
  await gathering.finish()
  expect(readFileSync(join(folder, 'raw-x-1.csv'), 'utf8')).toBe('a,b\n')
  expect(() => readFileSync(join(folder, 'other'))).toThrow('ENOENT')
})

test('reports a full disk at the end', async () => {
  const { url, append } = await startCollector()
  await append('a', 0, 'one\n')
  const gathering = gatherFiles({ request: requestAt(url), files: [{ name: 'a', file: '/dev/full' }] })
  await expect(gathering.finish()).rejects.toThrow('/dev/full: cannot be written: the disk is full')
  await gathering.stop()
})

test('stops at once if nothing responds', async () => {
  let resolveRequested = () => {}
  const isRequested = new Promise<void>((done) => (resolveRequested = done))
  const mute = createServer(() => resolveRequested()).listen(0, '127.0.0.1')
  onTestFinished(() => {
    mute.closeAllConnections()
    mute.close()
  })
  await new Promise((listening) => mute.once('listening', listening))
  const { port } = mute.address() as AddressInfo // as: it listens on a port
  const gathering = gatherFiles({ request: requestAt(`http://127.0.0.1:${port}`), files: [] })
  await isRequested
  await gathering.stop()
  expect(gathering.problem()).toBe('/files: The operation was aborted')
})
