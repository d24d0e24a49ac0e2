import type { Target } from '../../contract/scenario-config.ts'
import { openFeed } from '../lib/feed/feed.ts'
import {
  areServedWithWitness,
  authenticatePatiently,
  isServed,
  mustServe,
  takeTicket,
  tryTwice,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'

/** The 5 s in which a socket has to authenticate. */
export const authenticateDeadline: Probe = {
  rules: ['ws.auth.within-5s', 'ws.auth.deadline-5s'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    const {
      feed: prompt,
      passed,
      served,
    } = await tryTwice(async (authenticate) => {
      const { ticket } = await takeTicket(target, credential)
      const feed = await openFeed(target)
      const passed = await elapse(target, 4000)
      await authenticate(feed, ticket)
      return { feed, passed, served: await isServed(feed) }
    })
    prompt.close()
    if (served) judge.pass('ws.auth.within-5s', 'served')
    else if (passed > 4500) judge.inconclusive('ws.auth.within-5s', `the wait took ${passed} ms`)
    else {
      await mustServe(target, credential)
      judge.fail('ws.auth.within-5s', 'not served', prompt.evidence())
    }

    await judgeTardy(target, judge, credential)
  },
}

const FRAME_EVERY_MS = 3000
/** Allows 5 s for clocks, and for a server that looks for such sockets from time to time. */
const TARDY_MS = 10_000

/** The sockets that are not silent, by their messages. */
const OTHERS = [
  { what: 'synchronize', text: JSON.stringify({ action: 'synchronize' }) },
  { what: 'an unknown action', text: JSON.stringify({ action: 'none' }) },
  { what: 'text that is not JSON', text: '{' },
  { what: 'pings', text: undefined },
]

/** Authenticates after 10 s: a socket that was silent until then, and some that had sent something else every 3 s. */
async function judgeTardy(target: Target, judge: Judge, credential: Credential): Promise<void> {
  const rule = 'ws.auth.deadline-5s'
  const feeds = await Promise.all([undefined, ...OTHERS].map(() => openFeed(target)))
  const busy = feeds.slice(1)
  for (let frame = 0; frame < 2; frame++) {
    await elapse(target, FRAME_EVERY_MS)
    for (const [index, { text }] of OTHERS.entries()) if (text !== undefined) busy[index]?.sendText(text)
    // Each sends a ping, too.
    await Promise.all(busy.map((feed) => feed.settled(SETTLE_MS)))
  }
  await elapse(target, TARDY_MS - 2 * FRAME_EVERY_MS)
  const tokens = await Promise.all(feeds.map(() => takeTicket(target, credential)))
  await Promise.all(feeds.map((feed, index) => authenticatePatiently(feed, tokens[index]?.ticket ?? '')))
  const served = await areServedWithWitness(feeds, { target, credential })
  const ends = feeds.map((feed) => feed.closed())
  for (const feed of feeds) feed.close()
  const late = feeds.find((_, index) => served[index])
  const evidence = feeds.flatMap((feed) => feed.evidence())
  if (late) {
    const other = OTHERS[busy.indexOf(late)]?.what
    return judge.fail(rule, other ? `served, after ${other}` : 'served', late.evidence())
  }
  if (served.includes(undefined)) return judge.inconclusive(rule, UNRESPONSIVE, evidence)
  judge.pass(rule, ends.map((end) => (end ? `closed with ${end.code}` : 'not served')).join(', '), evidence)
}

const SETTLE_MS = 1000
