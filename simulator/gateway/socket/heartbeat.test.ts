import { expect, test } from 'vitest'
import { createHeartbeat } from './heartbeat.ts'

function beating() {
  const done: string[] = []
  const heartbeat = createHeartbeat({ ping: () => done.push('ping'), cut: () => done.push('cut') })
  return { ...heartbeat, done }
}

test('a peer that is silent for a whole interval is pinged, and cut an interval later', () => {
  const { beat, done } = beating()
  beat()
  expect(done).toEqual([])
  beat()
  expect(done).toEqual(['ping'])
  beat()
  expect(done).toEqual(['ping', 'cut'])
})

test('a peer that responds is pinged again, and never cut', () => {
  const { beat, received, done } = beating()
  for (let round = 0; round < 3; round++) {
    beat()
    beat()
    received()
  }
  expect(done).toEqual(['ping', 'ping', 'ping'])
})

test('a peer that sends something in every interval is not pinged', () => {
  const { beat, received, done } = beating()
  for (let round = 0; round < 5; round++) {
    received()
    beat()
  }
  expect(done).toEqual([])
})
