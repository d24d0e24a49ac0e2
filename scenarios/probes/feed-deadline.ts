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

/** Authenticates after 10 s: a socket that was silent until then, and one that had sent another frame every 3 s. */
async function judgeTardy(target: Target, judge: Judge, credential: Credential): Promise<void> {
  const rule = 'ws.auth.deadline-5s'
  const [silent, busy] = await Promise.all([openFeed(target), openFeed(target)])
  for (let frame = 0; frame < 2; frame++) {
    await elapse(target, 3000)
    busy.send({ action: 'synchronize' })
    await busy.settled(SETTLE_MS)
  }
  await elapse(target, 4000)
  const feeds = [silent, busy]
  const tokens = await Promise.all(feeds.map(() => takeTicket(target, credential)))
  await Promise.all(feeds.map((feed, index) => authenticatePatiently(feed, tokens[index]?.ticket ?? '')))
  const served = await areServedWithWitness(feeds, { target, credential })
  const ends = feeds.map((feed) => feed.closed())
  for (const feed of feeds) feed.close()
  const late = feeds.find((_, index) => served[index])
  const evidence = feeds.flatMap((feed) => feed.evidence())
  if (late) return judge.fail(rule, late === busy ? 'served, after other frames' : 'served', late.evidence())
  if (served.includes(undefined)) return judge.inconclusive(rule, UNRESPONSIVE, evidence)
  judge.pass(rule, ends.map((end) => (end ? `closed with ${end.code}` : 'not served')).join(', '), evidence)
}

const SETTLE_MS = 1000
