import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { openFileStore } from './open-file-store.ts'

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
