// Observations of a client with each mutant of tickets, and without it.
import { expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'
import type { FeedClient } from '../../gateway/test-client.ts'
import type { MutantName } from '../mutants.ts'

type Bed = Awaited<ReturnType<typeof setUp>>
type Row = { mutant: MutantName; show: (bed: Bed) => Promise<unknown>; right: unknown; wrong: unknown }

const ROWS: readonly Row[] = [
  {
    mutant: 'ws-renewed-never-ends',
    show: async ({ signIn, renew, isServed, wait }) => {
      const [plain, renewed] = [await signIn(), await signIn()]
      wait(50)
      await renew(renewed)
      wait(15)
      const early = [await isServed(plain), await isServed(renewed)]
      wait(50)
      return [...early, await isServed(renewed)]
    },
    right: [false, true, false],
    wrong: [false, true, true],
  },
  {
    mutant: 'ws-second-renewal-lost',
    show: async ({ signIn, renew, isServed, wait }) => {
      const client = await signIn()
      wait(50)
      await renew(client)
      wait(50)
      const early = await isServed(client)
      await renew(client)
      wait(15)
      return [early, await isServed(client)]
    },
    right: [true, true],
    wrong: [true, false],
  },
  {
    mutant: 'ws-renewal-expired-ticket',
    show: async ({ alice, bob, issueTicket, authenticate, signIn, isServed, wait }) => {
      const [own, another, unused] = [issueTicket(alice), issueTicket(bob), issueTicket(alice)]
      wait(40)
      const [client, other] = [await signIn(), await signIn()]
      wait(25)
      client.send({ action: 'authenticate', token: own })
      other.send({ action: 'authenticate', token: another })
      const found = [await isServed(client), await isServed(other), await authenticate(unused)]
      wait(55)
      const late = found[0] === true && (await isServed(client))
      wait(10)
      return [...found, late, late && (await isServed(client))]
    },
    right: [false, false, false, false, false],
    wrong: [true, false, false, true, false],
  },
  {
    mutant: 'ws-tickets-of-sessions-20-s',
    show: async ({ alice, issueTicket, issueToSession, authenticate, wait }) => {
      const tickets = [issueToSession(), issueToSession(), issueTicket(alice)]
      wait(15)
      const early = await authenticate(tickets[0])
      wait(10)
      return [early, await authenticate(tickets[1]), await authenticate(tickets[2])]
    },
    right: [true, true, true],
    wrong: [true, false, true],
  },
  {
    mutant: 'ws-tickets-of-sessions-5-min',
    show: async ({ alice, auth, connect, issueTicket, issueToSession, authenticate, isServed, wait }) => {
      const [ticket, later, ended, ofToken] = [
        issueToSession(),
        issueToSession(),
        issueToSession(),
        issueTicket(alice),
      ]
      auth.sessions.end(auth.sessions.list(alice.address).at(-1)?.id ?? '')
      wait(70)
      const client = await connect()
      client.send({ action: 'authenticate', token: ticket })
      const found = [await isServed(client), await authenticate(ticket)]
      found.push(await authenticate(ended), await authenticate(ofToken))
      wait(200)
      found.push(found[0] === true && (await isServed(client)))
      wait(40)
      return [...found, found[0] === true && (await isServed(client)), await authenticate(later)]
    },
    right: [false, false, false, false, false, false, false],
    wrong: [true, false, false, false, true, false, false],
  },
]

test.each(ROWS)('$mutant shows to a client', async ({ mutant, show, right, wrong }) => {
  expect(await show(await setUp(null))).toEqual(right)
  expect(await show(await setUp(mutant))).toEqual(wrong)
})

async function setUp(mutant: MutantName | null) {
  const bed = await createTestBed({ mutant })
  const { auth, clock, wallets, issueTicket, connect } = bed
  const { alice, bob } = wallets
  const isServed = (client: FeedClient) =>
    client.synchronize().then(
      () => true,
      () => false,
    )
  return {
    ...bed,
    alice,
    bob,
    isServed,
    wait: (seconds: number) => clock.advance(seconds * 1000),
    /** A ticket of a new session. */
    issueToSession() {
      const { address } = alice
      const { accessToken } = auth.sessions.start(address)
      const id = auth.sessions.byAccessToken(accessToken)?.id ?? ''
      return auth.issueTicket({ kind: 'session', id, address }).ticket
    },
    async authenticate(token = '') {
      const client = await connect()
      client.send({ action: 'authenticate', token })
      return isServed(client)
    },
    async renew(client: FeedClient) {
      await client.settle()
      client.send({ action: 'authenticate', token: issueTicket(alice) })
      await client.next('authenticated')
    },
  }
}
