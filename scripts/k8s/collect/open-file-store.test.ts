import type { Stats } from 'node:fs'
import promises, { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { openFileStore } from './open-file-store.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

test.each(['list', 'read'] as const)('%s shows no half of an append that ends during it', async (method) => {
  const dir = temporaryFolder()
  const store = openFileStore(dir)
  await store.append('a', { offset: 0, pieces: [Buffer.from('one\n')] })
  await halfWrittenDuring(join(dir, 'a'), () =>
    store.append('a', { offset: 4, pieces: [Buffer.from('two\n')] }),
  )
  if (method === 'list') return expect(await store.list()).toEqual([{ name: 'a', size: 8 }])
  const { size, bytes } = (await store.read('a', 0)) ?? expect.fail('the file exists')
  expect(size).toBe(8)
  expect(await text(bytes)).toBe('one\ntwo\n')
})

test('hides an append until it is complete', async () => {
  const store = openFileStore(temporaryFolder())
  await store.append('a', { offset: 0, pieces: [Buffer.from('one\n')] })
  const pieces = Array.from({ length: 64 }, () => Buffer.alloc(1 << 20, 'x\n'))
  let done = false
  const appended = store.append('a', { offset: 4, pieces }).finally(() => {
    done = true
  })
  const whole = 4 + (64 << 20)
  const seen = new Set<number | undefined>()
  while (!done) for (const { size } of await store.list()) seen.add(size)
  expect(await appended).toEqual({ done: true, size: whole })
  expect(seen.size).toBeGreaterThan(0)
  expect([...seen].filter((size) => size !== 4 && size !== whole)).toEqual([])
})

/** The next stats of a file, which the store waits for while the append runs to its end, show half of it. */
async function halfWrittenDuring(path: string, append: () => Promise<unknown>): Promise<void> {
  let due = true
  const halfWritten = async (stats: Stats) => {
    if (!due) return stats
    due = false
    await append()
    return Object.assign(stats, { size: 6 })
  }
  const { lstat } = promises
  vi.spyOn(promises, 'lstat').mockImplementation((async (at: string) =>
    halfWritten(await lstat(at))) as typeof lstat)
  const handle = await open(path)
  await handle.close()
  const shared = Object.getPrototypeOf(handle)
  const { stat } = shared
  vi.spyOn(shared, 'stat').mockImplementation(async function (this: unknown) {
    return halfWritten(await stat.call(this))
  })
  syncBuiltinESMExports()
}
