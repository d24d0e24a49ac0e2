import { expect, test } from 'vitest'
import { byteBudget } from './byte-budget.ts'

test('who asks for more than is left waits its turn', async () => {
  const budget = byteBudget(10)
  const order: string[] = []
  const take = async (name: string, bytes: number) => {
    const giveBack = await budget.take(bytes)
    order.push(name)
    return giveBack
  }
  const first = await take('first', 6)
  const second = take('second', 5)
  const third = take('third', 1) // there would be room for it: it comes after the second all the same
  await Promise.resolve()
  expect(order).toEqual(['first'])
  first()
  ;(await second)()
  ;(await third)()
  expect(order).toEqual(['first', 'second', 'third'])
})

test('more than the whole budget waits for all of it', async () => {
  const budget = byteBudget(10)
  const giveBack = await budget.take(1)
  const all = budget.take(1000)
  giveBack()
  ;(await all)()
  ;(await budget.take(10))()
})
