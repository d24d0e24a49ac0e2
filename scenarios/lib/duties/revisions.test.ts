import { expect, test } from 'vitest'
import { testTools } from '../client/test-tools.ts'
import { createRevisions } from './revisions.ts'

test('of many revisions the highest is read, once those before are; repeated and late ones are known', async () => {
  const { tools, run } = testTools()
  const read: bigint[] = []
  const revisions = createRevisions(async (minimum) => {
    read.push(minimum)
    await tools.pause(100)
  })
  for (const revision of [5n, 7n, 6n, 7n, 9n, 8n]) revisions.hear(revision)
  await run()
  revisions.hear(9n)
  await run()
  expect(read).toEqual([5n, 9n])
  expect(revisions.announced()).toBe(9n)
  expect([8n, 9n, 10n, undefined].map(revisions.isStale)).toEqual([true, false, false, false])
})
