import { countFromNow, EVENTS_MISSED_MIN, whySilent } from '../lib/feed/feed-count.ts'
import { isLost, isServed, LOST, openRooms, openServedFeed } from '../lib/feed/served-feed.ts'
import { credentialOf, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { awaitOwed } from '../lib/market/await-owed.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { clockHeld } from '../lib/time/held-clock.ts'
import { CannotProbe } from '../lib/verdict/cannot.ts'
import { told } from '../lib/verdict/told.ts'
import { chainGoesOn } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

const EVENT_ADDRESS = 'where an event names its address'
const BOUNDS = { blocksMax: 120, waitMsMax: 90_000 }

/** The balance room of one's own address. */
export const ownBalance: Probe = {
  rules: ['ws.rooms.own-balance'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.own-balance'
    told(target.profile.choices.events.address, EVENT_ADDRESS)
    const { address } = walletFor(target, 'feed')
    await withSession(target, walletFor(target, 'feed'), async (session) => {
      const room = `balances:${address}`
      const credential = credentialOf(session)
      const feed = await openRooms(target, credential, { judge, rule, rooms: [room] })
      const count = countFromNow(target, feed, [room])
      const { came, swaps } = await awaitOwed(target, {
        done: () => count(room) > 0,
        // Others may see it otherwise, but no balance stays the same when its owner swaps in public.
        isOwing: (swap) => swap.user === address && swap.is_private === false,
        credential,
        eachTurn: await keepServed(target, { credential, feeds: [feed] }),
      })
      const why = whySilent(feed)
      if (came) judge.pass(rule, 'a change of the own balance arrived')
      else if (why !== undefined) judge.inconclusive(rule, why)
      else if (swaps >= EVENTS_MISSED_MIN) {
        judge.fail(rule, `no event, while /swaps shows ${swaps} swaps more of the wallet`, feed.evidence())
      } else judge.inconclusive(rule, 'no change of the own balance to be told')
      feed.close()
    })
  },
}

/** The balance room of another address, which its owner joins beside. */
export const foreignBalance: Probe = {
  rules: ['ws.rooms.foreign-balance'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.foreign-balance'
    told(target.profile.choices.events.address, EVENT_ADDRESS)
    const [mine, other] = [walletFor(target, 'feed'), walletFor(target, 'foreignBalance')]
    if (mine.address === other.address) throw new CannotProbe('needs two wallets with access', 'wallets')
    const room = `balances:${other.address}`
    await withSession(target, other, (otherSession) =>
      withSession(target, mine, async (session) => {
        const [owner, curious] = await Promise.all([
          openServedFeed(target, credentialOf(otherSession), [room]),
          openServedFeed(target, credentialOf(session), []),
        ])
        // Again once it has been refused, and holds the room that it may hold.
        curious.send({ action: 'subscribe', room })
        await clockHeld(() => isServed(curious))
        curious.send({ action: 'subscribe', room: `balances:${mine.address}` })
        curious.send({ action: 'subscribe', room })
        await clockHeld(() => isServed(curious))
        const ownerCount = countFromNow(target, owner, [room])
        const curiousCount = countFromNow(target, curious, [room])
        const keepOwner = await keepServed(target, { credential: credentialOf(otherSession), feeds: [owner] })
        const keepCurious = await keepServed(target, { credential: credentialOf(session), feeds: [curious] })
        await chainGoesOn(target, {
          done: () => ownerCount(room) > 0,
          eachTurn: async () => void (await Promise.all([keepOwner(), keepCurious()])),
          ...BOUNDS,
        })
        await curious.settled(3000)
        if (curiousCount(room) > 0) judge.fail(rule, 'changes of another address arrive', curious.evidence())
        else if (isLost(curious)) judge.inconclusive(rule, LOST, curious.evidence())
        else if (ownerCount(room) > 0) {
          judge.pass(rule, `nothing came while its owner got ${ownerCount(room)} changes`)
        } else judge.inconclusive(rule, 'its owner got no change either')
        owner.close()
        curious.close()
      }),
    )
  },
}
