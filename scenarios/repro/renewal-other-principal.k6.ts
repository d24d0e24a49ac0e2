// A user switches wallets, and the page renews the first wallet's socket with a ticket of the second.
import type { Target } from '../../contract/scenario-config.ts'
import { follow, leave } from '../lib/case/follower.ts'
import { actor, outcome, runCase, step } from '../lib/case/run-case.ts'
import { authenticate, isServedWithWitness, takeTicket, UNRESPONSIVE } from '../lib/feed/served-feed.ts'
import { getCredential, type Session, withSession } from '../lib/identity/session.ts'
import { differentWallets } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('change') }

const RULE = 'ws.ticket.renewal-other-principal'
const RENEWAL_MS = 50_000
const LATE_MS = 75_000

export function change(): Promise<void> {
  return runCase([RULE], async (judge) => {
    const page = actor('careless-page')
    await step('a user signs in with two wallets, one after the other')
    const [mine, other] = differentWallets(page, 'feed', 'renewalOther')
    await withSession(page, mine, (first) =>
      withSession(page, other, (second) => changeWallet(page, judge, { first, second })),
    )
  })
}

async function changeWallet(
  page: Target,
  judge: Judge,
  { first, second }: { first: Session; second: Session },
): Promise<void> {
  const idle = actor('idle-page')
  const right = actor('right-page')
  await step('three pages open a socket of the first wallet')
  const ofFirst = { credential: getCredential(first), rooms: [`balances:${first.wallet.address}`] }
  const feeds = {
    careless: await follow({ target: page, ...ofFirst }),
    idle: await follow({ target: idle, ...ofFirst, rooms: [] }),
    right: await follow({ target: right, ...ofFirst }),
  }

  await step('the user switches wallets: the careless page renews its socket with a ticket of the second')
  const renewedAtMs = await elapse(page, RENEWAL_MS)
  if (feeds.careless.feed.closed()) throw new CannotJudge('closed before 50 s')
  const { ticket } = await takeTicket(page, getCredential(second))
  await authenticate(feeds.careless.feed, ticket)

  await step('the right page closes its socket, and opens another for the second wallet')
  await leave(feeds.right)
  const ofSecond = { credential: getCredential(second), rooms: [`balances:${second.wallet.address}`] }
  const fresh = await follow({ target: right, ...ofSecond })

  await step('the first tickets have expired; the idle page did not renew')
  await elapse(page, LATE_MS - renewedAtMs)
  const served = await isServedWithWitness(feeds.careless.feed, {
    target: right,
    credential: getCredential(second),
  })
  const closed = feeds.careless.feed.closed()
  const seen = served ? 'served at 75 s' : closed ? `closed with ${closed.code}` : 'not served'
  outcome(page, seen)
  outcome(idle, feeds.idle.feed.closed() ? 'closed' : 'still open')
  outcome(right, fresh.feed.closed() ? 'closed' : 'open, as the second wallet')
  if (served === undefined) judge.inconclusive(RULE, UNRESPONSIVE)
  if (served && !feeds.idle.feed.closed())
    judge.inconclusive(RULE, 'a socket without any renewal is still served too')
  judge.that(RULE, !served, seen, feeds.careless.feed.evidence())
  for (const follower of [feeds.careless, feeds.idle, fresh]) await leave(follower)
}
