import { expect, test } from 'vitest'
import { createConfirmWithin } from '../requests/persistence.ts'

const describeError = (status: number) => (status === 200 ? undefined : String(status))

/** Confirms a persistent error several times and returns the outcomes. */
async function confirmTimes(times: number, budgetMs: number) {
  let nowMs = 0
  const confirm = createConfirmWithin(budgetMs, {
    nowMs: () => nowMs,
    pause: async (ms) => {
      nowMs = Math.max(nowMs, ms + begunMs)
    },
  })
  let begunMs = 0
  const outcomes: string[] = []
  for (let time = 0; time < times; time++) {
    begunMs = nowMs
    const again = async () => 404
    const witness = async () => ({ served: true, explanation: 'served' })
    outcomes.push((await confirm({ first: 404, describeError, again, witness })).outcome)
  }
  const fine = {
    first: 200,
    describeError,
    again: async () => 200,
    witness: async () => ({ served: true, explanation: '' }),
  }
  return [...outcomes, (await confirm(fine)).outcome]
}

test('each error is confirmed while there is time', async () => {
  expect(await confirmTimes(2, 10_000)).toEqual(['persistent', 'persistent', 'gone'])
})

test('after the time is used up, errors stay open, and successes are still successes', async () => {
  expect(await confirmTimes(4, 10_000)).toEqual(['persistent', 'persistent', 'open', 'open', 'gone'])
})
