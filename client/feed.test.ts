import { expect, onTestFinished, test } from 'vitest'
import { createClock } from '../simulator/clock.ts'
import { virtualTime } from '../tools/clients/test-bed.ts'
import { RIGHT_CONDUCT } from './conduct.ts'
import type { Ticket } from './exchange.ts'
import { keepTicket } from './feed.ts'

test('renews at half a ticket’s life, counted from when it was asked for', async () => {
  const { time, told } = keep(async (atMs) => ({ text: `asked at ${atMs}`, askedAtMs: atMs }))
  await time.pass(29_000)
  expect(told).toEqual([])
  await time.pass(1000)
  expect(told).toEqual(['asked at 30000'])
  await time.pass(60_000)
  expect(told.slice(1)).toEqual(['asked at 60000', 'asked at 90000'])
})

test('gives the connection up before it is cut off, where no other ticket comes', async () => {
  const { time, told } = keep(() => new Promise(() => {}))
  await time.pass(54_000)
  expect(told).toEqual([])
  await time.pass(1000)
  expect(told).toEqual(['given up: undefined'])
})

test('gives up at once where there is none to be had', async () => {
  const { time, told } = keep(() => Promise.reject(new Error('403')))
  await time.pass(30_000)
  expect(told).toEqual(['given up: Error: 403'])
})

test('stops, and sends nothing that comes later', async () => {
  let answer = (_: Ticket) => {}
  const { time, told, stop } = keep(() => new Promise((done) => (answer = done)))
  await time.pass(31_000)
  stop()
  answer({ text: 'late', askedAtMs: 30_000 })
  await time.pass(60_000)
  expect(told).toEqual([])
})

function keep(renewed: (atMs: number) => Promise<Ticket>) {
  const clock = createClock({ startMs: 0 })
  const time = virtualTime({ clock, advance: clock.advance })
  const told: string[] = []
  const stop = keepTicket({
    timers: time.timers,
    conduct: RIGHT_CONDUCT,
    first: { text: 'first', askedAtMs: 0 },
    renewed: () => renewed(clock.nowMs()),
    send: ({ text }) => told.push(text),
    giveUp: (why) => {
      told.push(`given up: ${String(why)}`)
      stop()
    },
  })
  onTestFinished(stop)
  return { time, told, stop }
}
