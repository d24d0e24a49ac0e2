import { expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'

test('in place of an answer to an upgrade its connection is reset; the next one is answered', async () => {
  const bed = await createTestBed()
  bed.inject({ fault: 'feed-reset-handshake', when: { times: 1 } })
  await expect(bed.connect()).rejects.toMatchObject({ code: 'ECONNRESET' })
  await bed.signIn()
  expect(bed.decisions()).toEqual(['upgrade 1!', 'upgrade 2'])
})
