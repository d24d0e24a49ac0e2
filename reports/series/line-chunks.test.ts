import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lineChunks } from './line-chunks.ts'

let file: string
beforeEach(async () => {
  file = path.join(await mkdtemp(path.join(tmpdir(), 'breakwater-chunks-')), 'file')
})
afterEach(() => rm(path.dirname(file), { recursive: true, force: true }))

const KB = 1024

test('chunks are the file, cut at line ends', async () => {
  const length = fc.oneof(
    fc.nat({ max: 300 }),
    fc.integer({ min: 120 * KB, max: 140 * KB }),
    fc.nat({ max: 900 * KB }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(length, { maxLength: 12 }), fc.boolean(), async (lengths, terminated) => {
      const lines = lengths.map((each, index) => String(index % 10).repeat(each))
      const text = lines.join('\n') + (terminated ? '\n' : '')
      await writeFile(file, text)
      const { text: read, cuts } = await chunksRead()
      expect(read === text || read === `${text}\n`).toBe(true)
      expect(cuts.slice(0, -1).every((isWhole) => isWhole)).toBe(true)
      expect(cuts.at(-1) ?? true).toBe(text === '' || text.endsWith('\n'))
    }),
    { numRuns: 50 },
  )
})

test('a file without line ends does not fill the memory', async () => {
  await writeFile(file, 'x'.repeat(64 * KB * KB))
  const { text, cuts } = await chunksRead()
  expect(cuts).toEqual([false])
  expect(text.length).toBeLessThan(48 * KB * KB)
})

test('what is missing is said', async () => {
  await expect(chunksRead()).rejects.toMatchObject({
    message: `${file}: cannot be read: there is no such file or folder`,
    cause: { code: 'ENOENT' },
  })
})

async function chunksRead(): Promise<{ text: string; cuts: boolean[] }> {
  let text = ''
  const cuts: boolean[] = []
  for await (const { bytes, terminated } of lineChunks(file)) {
    expect(bytes.at(-1)).toBe(0x0a)
    text += bytes.toString()
    cuts.push(terminated)
  }
  return { text, cuts }
}
