import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { takeNewLines, writeWholeLines } from './gather-files.ts'
import type { RequestCollector } from './request-collector.ts'
import { requestAt, startCollector } from './test-collector.ts'

/** A response of which only some bytes arrive. */
function cutAfter(bytes: number, request: RequestCollector): RequestCollector {
  return async (sent) => {
    if (sent.path === '/files') return request(sent)
    const { body, ...answer } = await request({ ...sent, headers: {} })
    const cut = async function* () {
      let left = bytes
      for await (const chunk of body) {
        if (chunk.length >= left) {
          yield chunk.subarray(0, left)
          throw new Error('socket hang up')
        }
        left -= chunk.length
        yield chunk
      }
    }
    return { ...answer, body: Readable.from(cut()) }
  }
}

const step = fc.oneof(
  fc.record({
    append: fc.array(fc.constantFrom('one', 'é', '{}', '\n'), { maxLength: 30 }).map((p) => p.join('')),
  }),
  fc.record({ cut: fc.nat(60) }),
  fc.constant({ look: true }),
)

test('however a file grows and its responses are cut, the collected part is its beginning, up to a line end', async () => {
  const { url, dir } = await startCollector()
  const folder = temporaryFolder()
  let number = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const name = `series-${number++}.ndjson`
      const resolveFile = (requested: string) => (requested === name ? join(folder, name) : null)
      const taken = () => readFileSync(join(folder, name), 'utf8')
      let stream = ''
      // Written by another process, like runners on a shared volume.
      const append = (text: string) => appendFileSync(join(dir, name), text)
      append('')
      for (const given of steps) {
        if ('append' in given) {
          append(given.append)
          stream += given.append
          continue
        }
        const request = 'cut' in given ? cutAfter(given.cut, requestAt(url)) : requestAt(url)
        const problems = await takeNewLines({ request, resolveFile })
        expect(stream.startsWith(taken())).toBe(true)
        expect(taken()).toMatch(/^$|\n$/)
        if ('look' in given) expect([problems, taken()]).toEqual([[], wholeLines(stream)])
      }
      expect(await takeNewLines({ request: requestAt(url), resolveFile })).toEqual([])
      expect(taken()).toBe(wholeLines(stream))
    }),
    { numRuns: 60, seed: 7 },
  )
})

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n') + 1)
}

test('continues mid-line after a command was killed while writing', async () => {
  const { url, append } = await startCollector()
  const file = join(temporaryFolder(), 'a')
  await append('a', 0, 'one\ntwo\nthree\n')
  writeFileSync(file, 'one\ntw')
  expect(await takeNewLines({ request: requestAt(url), resolveFile: () => file })).toEqual([])
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n')
})

test('collects hundreds of files, and only the requested ones', async () => {
  const { url, dir } = await startCollector()
  const folder = temporaryFolder()
  const names = Array.from({ length: 300 }, (_, index) => `series-${index}.ndjson`)
  for (const name of [...names, 'other.csv']) writeFileSync(join(dir, name), `${name}\n`)
  const resolveFile = (name: string) => (name.startsWith('series-') ? join(folder, name) : null)
  expect(await takeNewLines({ request: requestAt(url), resolveFile })).toEqual([])
  for (const name of names) expect(readFileSync(join(folder, name), 'utf8')).toBe(`${name}\n`)
  expect(() => readFileSync(join(folder, 'other.csv'))).toThrow('ENOENT')
})

test('requests nothing if nothing is new', async () => {
  const { url, append } = await startCollector()
  const file = join(temporaryFolder(), 'a')
  await append('a', 0, 'one\n')
  const paths: string[] = []
  const request: RequestCollector = (sent) => {
    paths.push(sent.path)
    return requestAt(url)(sent)
  }
  for (const _ of [1, 2]) await takeNewLines({ request, resolveFile: () => file })
  expect(paths).toEqual(['/files', '/files/a?from=0', '/files'])
})

test('reports a file that another collector restarted, and keeps the collected part', async () => {
  const { url, append } = await startCollector()
  const file = join(temporaryFolder(), 'a')
  await append('a', 0, 'x\n')
  writeFileSync(file, 'one\ntwo\n')
  expect(await takeNewLines({ request: requestAt(url), resolveFile: () => file })).toEqual([
    { text: 'a: the collector has 2 bytes of it, but 8 were collected before', passes: false },
  ])
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
})

test('a response of another server is a problem, and is escaped', async () => {
  const respondWith = (status: number, body: string): RequestCollector => {
    return async () => ({ status, headers: {}, body: Readable.from([Buffer.from(body)]) })
  }
  const takeProblem = async (status: number, body: string) => {
    const [problem] = await takeNewLines({ request: respondWith(status, body), resolveFile: () => null })
    return problem
  }
  expect(await takeProblem(503, 'error trying to reach service\n\u001b[2J')).toEqual({
    text: '/files: returned 503: error trying to reach service ⏎ \\u001b[2J',
    passes: true,
  })
  expect(await takeProblem(404, 'pods "x" not found')).toEqual({
    text: '/files: returned 404: pods "x" not found',
    passes: false,
  })
  expect(await takeProblem(200, '[{"name":1}]')).toMatchObject({ passes: true })
})

test('a full local disk ends it', async () => {
  const { url, append } = await startCollector()
  await append('a', 0, 'one\n')
  await expect(
    takeNewLines({ request: requestAt(url), resolveFile: () => '/dev/full' }),
  ).rejects.toMatchObject({
    message: '/dev/full: cannot be written: the disk is full',
    exitCode: 3,
  })
})

const piece = fc.array(fc.constantFrom('a', 'é', '\n', '\r', '\0')).map((parts) => parts.join(''))

test('writes only whole lines, and all of them, however they arrive', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece), async (pieces) => {
      const writes: string[] = []
      await writeWholeLines(Readable.from(pieces.map((text) => Buffer.from(text))), async (lines) => {
        writes.push(String(lines))
      })
      const whole = pieces.join('')
      expect(writes.join('')).toBe(whole.slice(0, whole.lastIndexOf('\n') + 1))
      for (const lines of writes) expect(lines.endsWith('\n')).toBe(true)
    }),
    { seed: 7 },
  )
})

test('does not buffer an endless line', async () => {
  const chunk = Buffer.alloc(1 << 20, 'x')
  const endless = Readable.from(
    (function* () {
      for (;;) yield chunk
    })(),
  )
  await expect(writeWholeLines(endless, async () => {})).rejects.toThrow(
    'it has a line longer than 16777216 bytes',
  )
})
