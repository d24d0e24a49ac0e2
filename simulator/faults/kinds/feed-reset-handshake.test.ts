import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'
import { UPGRADE } from '../../gateway/test-upgrade.ts'
import { connectRaw } from '../../http/test-raw-peer.ts'

test('in place of an answer to an upgrade its connection is reset; the next one is answered', async () => {
  const bed = await createTestBed()
  bed.inject({ fault: 'feed-reset-handshake', when: { times: 1 } })
  const peer = await connectRaw(bed.port)
  const ending = Promise.race([once(peer.socket, 'error'), once(peer.socket, 'end')])
  peer.write(UPGRADE)
  expect(await ending).toMatchObject([{ code: 'ECONNRESET' }])
  expect(String(await peer.ended)).toBe('')
  await bed.signIn()
  expect(bed.decisions()).toEqual(['upgrade 1!', 'upgrade 2'])
})
