import { expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'
import { UPGRADE } from '../../gateway/test-upgrade.ts'
import { connectRaw } from '../../http/test-raw-peer.ts'

const fault = 'feed-slow-handshake'

/** An upgrade that has arrived, and been decided on. */
async function upgradeAt(bed: Awaited<ReturnType<typeof createTestBed>>) {
  const before = bed.decisions().length
  const peer = await connectRaw(bed.port)
  peer.write(UPGRADE)
  while (bed.decisions().length === before) await new Promise(setImmediate)
  return peer
}

test('an upgrade is answered late; the five seconds to authenticate begin then', async () => {
  const bed = await createTestBed()
  bed.inject({ fault, delayMs: 7000 }, { fault, delayMs: 1000 })
  const peer = await upgradeAt(bed)
  bed.clock.advance(7999)
  expect(bed.gateway.sockets()).toEqual([])
  bed.clock.advance(1)
  expect(bed.gateway.sockets()).toHaveLength(1)
  expect(await peer.received('\r\n\r\n')).toMatch(/^HTTP\/1.1 101 /)
  bed.clock.advance(4999)
  expect(bed.gateway.sockets()).toHaveLength(1)
  bed.clock.advance(1)
  expect(bed.gateway.sockets()).toEqual([])
})

test('what is sent behind the upgrade is heard then', async () => {
  const bed = await createTestBed()
  bed.inject({ fault, delayMs: 1000 })
  const peer = await upgradeAt(bed)
  peer.write(Buffer.from([0x89, 0x81, 0, 0, 0, 0, 0x41])) // a ping with one byte
  bed.clock.advance(1000)
  expect(await peer.received('\x8a\x01A')).toBeTruthy()
})

test('a peer that has given up meanwhile opens no socket', async () => {
  const bed = await createTestBed()
  bed.inject({ fault, delayMs: 1000 })
  const peer = await upgradeAt(bed)
  const { nextAtMs } = bed.clock
  expect(nextAtMs()).toBeDefined()
  peer.socket.resetAndDestroy()
  while (nextAtMs() !== undefined) await new Promise(setImmediate)
  bed.clock.advance(1000)
  expect(bed.gateway.sockets()).toEqual([])
})

test('when the feed ends, those that wait are cut', async () => {
  const bed = await createTestBed()
  bed.inject({ fault, delayMs: 1000 })
  const peer = await upgradeAt(bed)
  await bed.gateway.close()
  expect(String(await peer.ended)).toBe('')
})
