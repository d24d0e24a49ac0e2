import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

test('one at a time, in the order in which they came', async () => {
  const turns = createTurns()
  const seen: string[] = []
  const visit = async (name: string) => {
    const owner = { name }
    await turns.enter(owner)
    seen.push(`${name} in`)
    await Promise.resolve()
    await turns.enter(owner)
    seen.push(`${name} out`)
    turns.leave(owner)
  }
  await Promise.all(['first', 'second', 'third'].map(visit))
  expect(seen).toEqual(['first in', 'first out', 'second in', 'second out', 'third in', 'third out'])
})

test('who never entered cannot leave for another', async () => {
  const turns = createTurns()
  const holder = {}
  await turns.enter(holder)
  turns.leave({})
  let entered = false
  const next = turns.enter({}).then(() => {
    entered = true
  })
  await Promise.resolve()
  expect(entered).toBe(false)
  turns.leave(holder)
  await next
  expect(entered).toBe(true)
})
