import { expect, test } from 'vitest'
import { createClock } from '../simulator/clock.ts'
import { createRateGate } from './requester.ts'

test('lets eight go at once, and another for each that is answered', async () => {
  const { gate, sent, enter } = start()
  enter(10)
  await sent(8)
  gate.leave()
  await sent(9)
})

test('what is urgent goes ahead of what waits', async () => {
  const { gate, enter, order } = start()
  enter(9)
  enter(1, 'urgent')
  gate.leave()
  await Promise.resolve()
  expect(order.at(-1)).toBe('urgent')
})

test('holds everything back after a 429, then lets fewer go, and more again once they are answered', async () => {
  const { gate, clock, sent, enter } = start()
  enter(20)
  await sent(8)
  for (let answered = 0; answered < 8; answered++) gate.leave(answered === 0 ? 3000 : undefined)
  await sent(8)
  clock.advance(2999)
  await sent(8)
  clock.advance(1)
  // Half of eight, and one more for the seven that were served.
  await sent(13)
})

function start() {
  const clock = createClock({ startMs: 0 })
  const gate = createRateGate({ timers: clock })
  const order: string[] = []
  return {
    gate,
    clock,
    order,
    enter(count: number, name = '') {
      for (let entered = 0; entered < count; entered++) {
        void gate.enter({ urgent: name === 'urgent' }).then(() => order.push(name))
      }
    },
    async sent(count: number) {
      await Promise.resolve()
      expect(order).toHaveLength(count)
    },
  }
}
