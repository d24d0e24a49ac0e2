import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { framesBounded } from './frames-bounded.ts'

function send(count: number, everyMs: number) {
  const { open, pass, found } = createTestBed(framesBounded)
  const socket = open()
  for (let sent = 0; sent < count; sent++) {
    socket.frame({ action: sent < 240 ? 'synchronize' : 'limited' })
    pass(everyMs)
  }
  return found()
}

test('accuses of 241 frames in less than a minute', () => {
  expect(send(241, 100)).toEqual(['socket 1 sent 241 frames within 24000 ms'])
})

test('lets pass 240 at once, and four a second for long', () => {
  expect(send(240, 0)).toEqual([])
  expect(send(1000, 250)).toEqual([])
})

test('lets pass a minute’s frames that the network has brought closer together', () => {
  expect(send(1000, 242)).toEqual([])
})

test('counts each socket by itself', () => {
  const { open, found } = createTestBed(framesBounded)
  for (const socket of [open(), open()])
    for (let sent = 0; sent < 240; sent++) socket.frame({ action: 'synchronize' })
  expect(found()).toEqual([])
})
