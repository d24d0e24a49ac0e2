import { expect, test } from 'vitest'
import { sideBySide } from './side-by-side.ts'

test('runs each item once, at most `jobs` at a time', async () => {
  const ran: number[] = []
  let atOnce = 0
  let most = 0
  await sideBySide([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    atOnce++
    most = Math.max(most, atOnce)
    await Promise.resolve()
    ran.push(item)
    atOnce--
  })
  expect(ran.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})

test('rejects if a run throws', async () => {
  const broken = sideBySide([1, 2], 1, (item) => Promise.reject(new Error(`broken by ${item}`)))
  await expect(broken).rejects.toThrow('broken by 1')
})
