import { expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'

const REFUSED = 4401

test('a node rejects a ticket that it does not know yet, and takes it later', async () => {
  const { inject, connect, ticketOf, wallets, clock, decisions } = await createTestBed({ nodes: 2 })
  inject({ fault: 'ws-ticket-late', lateMs: 500, where: { nodes: [2] } })
  const token = ticketOf(wallets.alice)
  const other = ticketOf(wallets.alice)
  const [first, second] = [await connect(), await connect()]
  second.send({ action: 'authenticate', token })
  expect((await second.closed).code).toBe(REFUSED)
  first.send({ action: 'authenticate', token })
  expect(await first.next('authenticated')).toEqual({ control: 'authenticated' })
  clock.advance(500)
  await connect()
  const fourth = await connect()
  fourth.send({ action: 'authenticate', token: other })
  expect(await fourth.next('authenticated')).toEqual({ control: 'authenticated' })
  expect(decisions()).toEqual(['socket 2!'])
})

test('only for the wallets that it is about, and as often as `when` says', async () => {
  const { inject, connect, ticketOf, wallets } = await createTestBed()
  inject({
    fault: 'ws-ticket-late',
    where: { clients: { addresses: [wallets.alice.address] } },
    when: { times: 1 },
  })
  const token = ticketOf(wallets.alice)
  const bob = await connect()
  bob.send({ action: 'authenticate', token: ticketOf(wallets.bob) })
  expect(await bob.next('authenticated')).toEqual({ control: 'authenticated' })
  const refused = await connect()
  refused.send({ action: 'authenticate', token })
  expect((await refused.closed).code).toBe(REFUSED)
  const again = await connect()
  again.send({ action: 'authenticate', token })
  expect(await again.next('authenticated')).toEqual({ control: 'authenticated' })
})
