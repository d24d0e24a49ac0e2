import { expect, test } from 'vitest'
import { plain } from '../choices/plain.ts'
import { createOutbox, type OutboxSocket } from './outbox.ts'

const RESYNC = '{"control":"resync_required"}'
const EVENT = Buffer.alloc(100_000, 'e')

test('drops events above the high-water mark, and says resync_required once all is sent', () => {
  const { outbox, frames, drain, drainOne } = stalledOutbox()
  for (let event = 0; event < 5; event++) outbox.sendEvent(EVENT)
  expect(frames).toHaveLength(3) // 300,000 bytes are the first above 262,144
  expect(outbox.droppedEvents()).toBe(2)
  drainOne()
  expect(frames).toHaveLength(3)
  drain()
  expect(frames.slice(3)).toEqual(['{"control":"resync_required"}'])
})

test('sends events again after that, and says resync_required no second time', () => {
  const { outbox, frames, drain } = stalledOutbox()
  for (let event = 0; event < 5; event++) outbox.sendEvent(EVENT)
  drain()
  outbox.sendEvent(EVENT)
  drain()
  expect(frames.slice(3)).toEqual(['{"control":"resync_required"}', String(EVENT)])
})

test('says nothing of a resync where nothing was dropped', () => {
  const { outbox, frames, drain } = stalledOutbox()
  for (let event = 0; event < 3; event++) outbox.sendEvent(EVENT)
  drain()
  expect(frames).toEqual([EVENT, EVENT, EVENT].map(String))
})

test('asks for a resync when told, after what is unsent', () => {
  const { outbox, frames, drain } = stalledOutbox()
  outbox.requireResync()
  outbox.sendEvent(EVENT)
  outbox.requireResync()
  outbox.sendEvent(EVENT)
  expect(frames).toHaveLength(3)
  drain()
  expect(frames).toEqual([RESYNC, String(EVENT), String(EVENT), RESYNC])
})

test('sends controls above the high-water mark, but cuts the connection at the bound', () => {
  const { outbox, frames, state } = stalledOutbox()
  const room = 'r'.repeat(plain.feed.highWaterBytes)
  for (let control = 0; control < 4; control++) outbox.sendControl({ control: 'error', room })
  expect(state.terminated).toBe(false)
  expect(frames).toHaveLength(4)
  outbox.sendControl({ control: 'error', room })
  expect(state.terminated).toBe(true)
  expect(frames).toHaveLength(4)
})

/** A socket whose peer reads nothing until `drain`. */
function stalledOutbox() {
  const frames: string[] = []
  const state = { terminated: false }
  const waiting: { bytes: number; sent: () => void }[] = []
  const socket: OutboxSocket = {
    get bufferedAmount() {
      return waiting.reduce((sum, { bytes }) => sum + bytes, 0)
    },
    send(data, _options, sent) {
      frames.push(String(data))
      waiting.push({ bytes: data.length, sent })
    },
    terminate() {
      state.terminated = true
    },
  }
  const outbox = createOutbox(socket, plain.feed)
  const drainOne = () => waiting.shift()?.sent()
  const drain = () => {
    while (waiting.length > 0) drainOne()
  }
  return { outbox, frames, state, drain, drainOne }
}
