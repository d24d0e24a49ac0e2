import { expect, test } from 'vitest'
import { eachOf } from './each-of.ts'

test('each is done once, never more at a time than asked for', async () => {
  const done: number[] = []
  let under = 0
  let most = 0
  await eachOf([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    under++
    most = Math.max(most, under)
    await Promise.resolve()
    under--
    done.push(item)
  })
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})

test('the first that fails is told', async () => {
  const failing = eachOf([1, 2, 3], 2, async (item) => {
    if (item === 2) throw new Error('two')
  })
  await expect(failing).rejects.toThrow('two')
})
