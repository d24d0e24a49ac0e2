import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import {
  isLost,
  isServed,
  isUnresponsive,
  LOST,
  mustServe,
  openServedFeed,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { confirm } from '../lib/requests/confirm.ts'
import type { Credential } from '../lib/requests/request.ts'
import { CannotJudge, ifPossible, type Judge } from '../lib/verdict/judge.ts'

const RULE = 'ws.sync.answered'
const LOST_MAX = 2
const CASES = [
  { rooms: [], when: 'for the second time' },
  { rooms: ['protocol_config'], when: 'after a room was left' },
]

/** Synchronizes sockets again: as they are, and after they have left a room. */
export async function judgeAgain(target: Target, judge: Judge, credential: Credential): Promise<void> {
  const shown: string[] = []
  for (const { rooms, when } of CASES) {
    const again = () => synchronizeAgain(target, credential, rooms)
    const { outcome, last, explanation } = await confirm({
      first: await again(),
      describeError: ({ served }) => (served ? undefined : `no response to synchronize ${when}`),
      again,
      // On its first synchronize, since the second one is in question.
      witness: async () => {
        await mustServe(target, credential)
        return { served: true, explanation: 'the first synchronize of another socket gets a response' }
      },
    })
    if (outcome === 'open') return judge.inconclusive(RULE, explanation, last.feed.evidence())
    if (outcome === 'persistent')
      return judge.fail(RULE, `synchronize gets no response ${when}`, [explanation, ...last.feed.evidence()])
    shown.push(...last.feed.evidence())
  }
  judge.pass(RULE, 'synchronized twice, and after a room was left', shown)
}

/** Joins and leaves the rooms on a new socket, and synchronizes again. A socket that is lost is replaced. */
async function synchronizeAgain(
  target: Target,
  credential: Credential,
  rooms: readonly string[],
): Promise<{ feed: Feed; served: boolean }> {
  for (let lost = 0; lost <= LOST_MAX; lost++) {
    const feed = await openServedFeed(target, credential, rooms)
    for (const room of rooms) feed.send({ action: 'unsubscribe', room })
    const served = (await ifPossible(() => isServed(feed))) ?? false
    const mute = !served && (await isUnresponsive(feed))
    const wasLost = isLost(feed)
    feed.close()
    if (mute) throw new CannotJudge(UNRESPONSIVE)
    if (served || !wasLost) return { feed, served }
  }
  throw new CannotJudge(`${LOST}, repeatedly`)
}
