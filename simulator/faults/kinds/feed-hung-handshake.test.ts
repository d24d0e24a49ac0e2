import { expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'
import { UPGRADE } from '../../gateway/test-upgrade.ts'
import { connectRaw } from '../../http/test-raw-peer.ts'

const fault = 'feed-hung-handshake'

test('an upgrade is never answered, and its connection is cut in the end', async () => {
  const bed = await createTestBed()
  bed.inject({ fault, hangMs: 1000, when: { times: 1 } })
  const peer = await connectRaw(bed.port)
  peer.write(UPGRADE)
  while (bed.decisions().length === 0) await new Promise(setImmediate)
  bed.clock.advance(999)
  await (await bed.connect()).settle()
  expect(peer.socket.readyState).toBe('open')
  bed.clock.advance(1)
  expect(String(await peer.ended)).toBe('')
  expect(bed.gateway.sockets()).toHaveLength(1)
})

test('when the feed ends, it is cut', async () => {
  const bed = await createTestBed()
  bed.inject({ fault })
  const peer = await connectRaw(bed.port)
  peer.write(UPGRADE)
  while (bed.decisions().length === 0) await new Promise(setImmediate)
  await bed.gateway.close()
  expect(String(await peer.ended)).toBe('')
})
