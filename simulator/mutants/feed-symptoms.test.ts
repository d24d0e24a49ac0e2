import { expect, test } from 'vitest'
import { createTestBed } from '../gateway/test-bed.ts'

type Bed = Awaited<ReturnType<typeof createTestBed>>

/** The messages that a socket gets with a ticket of a session or of an API token of the same wallet. */
async function servedBy(bed: Bed, kind: 'session' | 'api-token'): Promise<boolean> {
  const { address } = bed.wallets.alice
  const { accessToken } = bed.auth.sessions.start(address)
  const token = bed.auth.apiTokens.create({ address, name: 'bot', expiresInDays: 1 })
  const id = kind === 'session' ? bed.auth.sessions.byAccessToken(accessToken)?.id : token?.info.id
  const { ticket } = bed.auth.issueTicket({ kind, id: id ?? '', address })
  const client = await bed.connect()
  client.send({ action: 'authenticate', token: ticket })
  client.send({ action: 'synchronize' })
  return (await client.settle()).some(({ control }) => control === 'synchronized')
}

test('ws-ticket-by-session-unserved: an API token is served', async () => {
  const bed = await createTestBed({ mutant: 'ws-ticket-by-session-unserved' })
  expect([await servedBy(bed, 'session'), await servedBy(bed, 'api-token')]).toEqual([false, true])
})

test('ws-api-token-synchronizes: an API token works as a ticket for synchronize alone', async () => {
  const bed = await createTestBed({ mutant: 'ws-api-token-synchronizes' })
  const { address } = bed.wallets.alice
  const client = await bed.connect()
  client.send({ action: 'authenticate', token: bed.auth.issueApiToken({ address, name: 'bot' }) })
  client.send({ action: 'subscribe', room: 'pool_launches' })
  await client.synchronize()
  expect(bed.gateway.sockets()).toMatchObject([{ address: null, rooms: 0 }])
})
