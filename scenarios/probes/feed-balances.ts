import { isExactName } from '../../contract/exact-fields.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  awaitStragglers,
  countFromNow,
  EVENTS_MISSED_MIN,
  listEvents,
  settle,
  whySilent,
  whyUnassigned,
} from '../lib/feed/events.ts'
import { type Feed, type FeedMessage, openFeed } from '../lib/feed/feed.ts'
import { joinAndClose } from '../lib/feed/join-and-close.ts'
import {
  authenticate,
  isLost,
  isServed,
  LOST,
  openRooms,
  openServedFeed,
  takeTicket,
} from '../lib/feed/served-feed.ts'
import { withTokenIfPossible } from '../lib/identity/api-token.ts'
import { getCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { awaitOwed } from '../lib/market/await-owed.ts'
import { pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { noteProblem } from '../lib/probe/watch-records.ts'
import { redactor } from '../lib/redact.ts'
import { type Credential, isSuccess, request } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { CannotProbe, ifPossible, type Judge, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

const EVENT_ADDRESS = 'the path of the address in events'
const HANDLED_MS = 1000
const BOUNDS = { blocksMax: 120, waitMsMax: 90_000 }

/** Two sockets in the room, one with a ticket of an API token, which is renewed; a third one has left it, a fourth is closed. */
export const ownBalance: Probe = {
  rules: ['ws.rooms.own-balance'],
  world: 'feed',
  async run(target, judge) {
    requireChoice(target.profile.choices.events.address, EVENT_ADDRESS)
    const wallet = walletFor(target, 'feed')
    await withSession(target, wallet, (session) =>
      withTokenIfPossible(target, session, (bearer) => {
        const credential = getCredential(session)
        return judgeOwn(target, judge, { address: wallet.address, credential, bearer: bearer ?? credential })
      }),
    )
  },
}

type Own = { address: string; credential: Credential; bearer: Credential }

async function judgeOwn(target: Target, judge: Judge, { address, credential, bearer }: Own): Promise<void> {
  const rule = 'ws.rooms.own-balance'
  const room = `balances:${address}`
  const feed = await openRooms(target, credential, { judge, rule, rooms: [room] })
  const second = await openRooms(target, bearer, { judge, rule, rooms: [room] })
  const left = await openLeft(target, credential, room)
  await joinAndClose(target, credential, [room])
  const total = (one: Feed) => listEvents(target, one, [room]).length
  // A renewal keeps the room.
  await renew(target, second, bearer)
  const countRenewed = countFromNow(target, second, [room])
  // Each socket gets what the other counts: what was sent before has arrived by then.
  await awaitStragglers([feed, left])
  await settle(target, [feed, left])
  const [count, late] = [countFromNow(target, feed, [room]), countFromNow(target, left, [room])]
  await awaitStragglers([second])
  await settle(target, [second])
  const countSecond = countFromNow(target, second, [room])
  const findLeftOut = () => {
    if (count(room) === 0 && countSecond(room) >= EVENTS_MISSED_MIN) return feed
    return countRenewed(room) === 0 && count(room) >= EVENTS_MISSED_MIN ? second : undefined
  }
  const isHeard = () => count(room) > 0 && countRenewed(room) > 0
  const keeps = await Promise.all([
    keepServed(target, { credential, feeds: [feed, left] }),
    keepServed(target, { credential: bearer, feeds: [second] }),
  ])
  const balances = watchBalances(target, credential)
  const { swaps } = await awaitOwed(target, {
    done: () => isHeard() || findLeftOut() !== undefined,
    // Visibility of private swaps may vary.
    isOwing: (swap) => swap.user === address && swap.is_private === false,
    credential,
    eachTurn: async () => void (await Promise.all([balances.eachTurn(), ...keeps.map((keep) => keep())])),
  })
  await settle(target, [feed, second, left])
  const whyNone = (one: Feed) => whySilent(one) ?? whyUnassigned(target, [one])
  const [why, leftOut] = [whyNone(feed), findLeftOut()]
  const isSilent = (one: Feed) =>
    (one === feed ? count : countRenewed)(room) === 0 && whyNone(one) === undefined
  if (leftOut !== undefined) {
    const whyLeftOut = whySilent(leftOut)
    const which = leftOut === feed ? 'the first' : 'the second'
    if (whyLeftOut !== undefined) judge.inconclusive(rule, whyLeftOut)
    judge.fail(rule, `${which} of two sockets in the room gets no event`, leftOut.evidence())
  } else if (swaps >= EVENTS_MISSED_MIN && [feed, second].every(isSilent)) {
    const seen = `no event, while /swaps shows ${swaps} more swaps of the wallet`
    // An output may count only once it is claimed.
    if (await balances.haveChanged()) judge.fail(rule, `${seen}, and its balances changed`, feed.evidence())
    else judge.inconclusive(rule, `${seen}, but no change of its balances is known`)
  } else if (total(feed) > 0) judge.pass(rule, 'a change of its own balance arrived')
  else if (why !== undefined) judge.inconclusive(rule, why)
  else judge.inconclusive(rule, 'its own balance did not change')
  const wrong = `${late(room)} changes of the own balance arrive after the leave`
  if (late(room) > 0 && count(room) > 0)
    noteProblem('ws.rooms.unsubscribe', wrong, () => left.evidence().join(' '))
  for (const socket of [feed, second, left]) socket.close()
}

/** Replicas and caches may be as far behind. */
const BEHIND_MS = 30_000

/** Finds whether the balances of REST changed after the start. Only their amounts count: the rest of the body is open. */
function watchBalances(target: Target, credential: Credential) {
  const path = target.profile.choices.balancesPath
  const startedMs = Date.now()
  const read = async () => {
    if (path === null) return undefined
    const reply = await request(target, { method: 'GET', path, credential })
    return isSuccess(reply) ? listAmounts(reply.json).sort().join() : undefined
  }
  let before: string | undefined
  return {
    async eachTurn() {
      if (before !== undefined || path === null) return
      if (hasControl(target) || Date.now() - startedMs >= BEHIND_MS) before = await ifPossible(read)
    },
    async haveChanged() {
      const after = before && (await ifPossible(read))
      return after !== undefined && after !== before
    },
  }
}

/** The amounts of a body, in no order: that of the rows is open. Values in dollars change by themselves. */
function listAmounts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const isAmount = isExactName(name) && !/usd|price/i.test(name) && typeof inner !== 'object'
    return isAmount ? [`${name} ${inner}`] : listAmounts(inner)
  })
}

async function renew(target: Target, feed: Feed, by: Credential): Promise<void> {
  const { ticket } = await takeTicket(target, by)
  await withMiningPaused(() => authenticate(feed, ticket))
}

/** Opens a socket that has joined the room and left it again. */
async function openLeft(target: Target, credential: Credential, room: string): Promise<Feed> {
  const left = await openServedFeed(target, credential, [room])
  left.send({ action: 'unsubscribe', room })
  // Without a response, the leave may come later.
  if (!(await withMiningPaused(() => isServed(left)))) left.close()
  return left
}

export const foreignBalance: Probe = {
  rules: ['ws.rooms.foreign-balance'],
  world: 'feed',
  async run(target, judge) {
    requireChoice(target.profile.choices.events.address, EVENT_ADDRESS)
    const [mine, other] = [walletFor(target, 'feed'), walletFor(target, 'foreignBalance')]
    if (mine.address === other.address) throw new CannotProbe('needs two wallets with access', 'wallets')
    await withSession(target, other, (otherSession) =>
      withSession(target, mine, (session) =>
        withTokenIfPossible(target, session, (bearer) => {
          const credential = getCredential(session)
          return judgeForeign(target, judge, {
            ...{ credential, bearer: bearer ?? credential, address: mine.address },
            owner: { credential: getCredential(otherSession), address: other.address },
          })
        }),
      ),
    )
  },
}

async function judgeForeign(
  target: Target,
  judge: Judge,
  {
    credential,
    bearer,
    address,
    owner: { credential: ownerCredential, address: foreign },
  }: Own & {
    owner: { credential: Credential; address: string }
  },
): Promise<void> {
  const rule = 'ws.rooms.foreign-balance'
  const room = `balances:${foreign}`
  const [owner, curious, byToken] = await Promise.all([
    openServedFeed(target, ownerCredential, [room]),
    openServedFeed(target, credential, []),
    openServedFeed(target, bearer, []),
  ])
  const subscribe = (feed: Feed, ...rooms: string[]) =>
    withMiningPaused(async () => {
      for (const one of rooms) feed.send({ action: 'subscribe', room: one })
      await isServed(feed)
    })
  // Try again after the rejection, while holding a room that is allowed, and after a renewal.
  const own = `balances:${address}`
  await subscribe(curious, room)
  await subscribe(curious, own, room)
  await Promise.all([renew(target, curious, credential), renew(target, byToken, bearer)])
  await Promise.all([subscribe(curious, room), subscribe(byToken, room, own, room)])
  // Each on its own socket, which the server may close. They join their own room too, as another name may stand for it.
  const sneaky: Feed[] = []
  const sneak = (trick: (feed: Feed) => Promise<void>) =>
    unlessCannot(async () => {
      const feed = await openServedFeed(target, credential, [])
      sneaky.push(feed)
      await trick(feed)
    })
  // A server may handle a subscription while it checks the ticket, or keep it until then.
  const hurry = (open: () => Promise<Feed>, first: 'ticket' | 'room' = 'ticket') =>
    unlessCannot(() =>
      withMiningPaused(async () => {
        const { ticket } = await takeTicket(target, credential)
        const feed = await open()
        sneaky.push(feed)
        if (first === 'room') feed.send({ action: 'subscribe', room })
        feed.send({ action: 'authenticate', token: ticket })
        if (first === 'ticket') feed.send({ action: 'subscribe', room })
        await feed.settled(HANDLED_MS)
      }),
    )
  await Promise.all([
    ...respell(foreign, address).map((name) => sneak((feed) => subscribe(feed, name, own))),
    sneak(async (feed) => {
      await renew(target, feed, ownerCredential)
      await subscribe(feed, room, own)
    }),
    hurry(() => openFeed(target)),
    hurry(() => openFeed(target), 'room'),
    hurry(() => openServedFeed(target, credential, [])),
  ])
  const ownerCount = countFromNow(target, owner, [room])
  // Any type counts: these sockets may get no event that names the other address.
  const { events } = target.profile.choices
  const leaked = () =>
    [curious, byToken, ...sneaky].flatMap(({ received }) =>
      received.filter(({ json }) => pickText(json, events.address) === foreign),
    )
  const keeps = await Promise.all([
    keepServed(target, { credential: ownerCredential, feeds: [owner] }),
    keepServed(target, { credential, feeds: [curious, ...sneaky] }),
    keepServed(target, { credential: bearer, feeds: [byToken] }),
  ])
  await advanceChain(target, {
    done: () => ownerCount(room) > 0,
    eachTurn: async () => void (await Promise.all(keeps.map((keep) => keep()))),
    ...BOUNDS,
  })
  await settle(target, [curious, byToken, ...sneaky])
  const lost = [curious, byToken].find(isLost)
  if (leaked().length > 0) judge.fail(rule, 'changes of another address arrive', shown(leaked()))
  else if (lost) judge.inconclusive(rule, LOST, lost.evidence())
  else if (ownerCount(room) > 0)
    judge.pass(rule, `nothing came while its owner got ${ownerCount(room)} changes`)
  else judge.inconclusive(rule, 'its owner got no change either')
  for (const feed of [owner, curious, byToken, ...sneaky]) feed.close()
}

/** Names that a server may take for another room than the one that it checks. */
function respell(foreign: string, own: string): string[] {
  const lower = foreign.toLowerCase()
  const respelled = foreign === lower ? foreign.toUpperCase() : lower
  return [
    ...['balances:*', `Balances:${foreign}`, `balances:${foreign} `, `balances: ${foreign}`],
    `balances:${own},${foreign}`,
    ...(respelled === foreign || own.toLowerCase() === lower ? [] : [`balances:${respelled}`]),
  ]
}

function shown(messages: readonly FeedMessage[]): string[] {
  return messages.slice(0, 3).map(({ text }) => redactor.redactBody(text, 400))
}
