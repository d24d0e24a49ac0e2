// A deployment closes every socket at once. Each client reconnects with full jitter, a fresh ticket and its
// room.
import { backoffMs } from '../../client/retry-wait.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { actor, beginFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { vuRandom } from '../lib/duties/k6-tools.ts'
import { type Feed, openFeedOnce } from '../lib/feed/feed.ts'
import { authenticate, isServed, takeTicket } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import type { Credential } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'
import { caseMs } from '../lib/timeline.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'
import { control, mustHaveControl } from '../lib/world/control.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('storm') }

const RESTORES = 'ws.restart.restores'
const ROOM = 'protocol_config'
const TRIES_MAX = 8
const CAP_MS = 16_000
const CLOSE_MS = 10_000
const EVENT_MS = 10_000

type Member = { target: Target; credential: Credential; feed: Feed }
type Return = {
  /** Close code of the first socket; undefined if it stayed open. */
  code: number | undefined
  tries: number
  /** Time from the restart until synchronized again; undefined if never. */
  backMs: number | undefined
}

export function storm(): Promise<void> {
  return runCase([RESTORES], async (judge) => {
    const exchange = actor('exchange')
    mustHaveControl(exchange, 'a restart of the gateway')
    const sockets = readNumber('sockets')
    await step(`${sockets} sockets are opened`)
    const crowd = await openCrowd(sockets)

    await step('a deployment: the gateway closes all sockets')
    await beginFaults()
    const beganMs = caseMs()
    const restarted = control(exchange, '/gateway/restart')
    const returns = await Promise.all(crowd.map((member) => comeBack(member, beganMs)))
    await restarted
    const codes = returns.map(({ code }) => code)
    const announced = codes.filter((code) => code === 1012).length
    outcome(exchange, `${announced} of ${sockets} sockets were closed with 1012`)

    await step('the configuration changes: clients that joined their room again get an event')
    await control(exchange, '/revision', { scope: 'fee_tiers', key: '500' })
    const back = crowd.filter((_, place) => returns[place]?.backMs !== undefined)
    const heard = (await Promise.all(back.map(hears))).filter(Boolean).length
    judgeReturns(judge, { returns, heard })
  })
}

/** Opens a few at a time: only the reconnects should be a storm. */
async function openCrowd(sockets: number): Promise<Member[]> {
  const names = Array.from({ length: sockets }, (_, index) => `socket-${String(index + 1).padStart(4, '0')}`)
  const waiting = names.map(actor)
  const credential = await readCredential(actor('exchange'))
  const crowd: Member[] = []
  await Promise.all(
    Array.from({ length: readNumber('atOnce') }, async () => {
      for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
        crowd.push({ target, credential, feed: await join(target, credential) })
      }
    }),
  )
  return crowd
}

/** Opens a socket with a fresh ticket, joins its room and synchronizes. Throws CannotJudge on failure. */
async function join(target: Target, credential: Credential): Promise<Feed> {
  const { ticket } = await takeTicket(target, credential)
  const feed = await openFeedOnce(target)
  await authenticate(feed, ticket)
  feed.send({ action: 'subscribe', room: ROOM })
  if (await isServed(feed)) return feed
  feed.close()
  throw new CannotJudge('not served')
}

async function comeBack(member: Member, beganMs: number): Promise<Return> {
  const { target, credential, feed } = member
  await feed.until(() => false, CLOSE_MS)
  const code = feed.closed()?.code
  const baseMs = readNumber('backoffMs')
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    await pause(backoffMs({ attempt, random: vuRandom, baseMs, capMs: CAP_MS }))
    try {
      member.feed = await join(target, credential)
      return { code, tries: attempt + 1, backMs: caseMs() - beganMs }
    } catch (error) {
      if (!(error instanceof CannotJudge)) throw error
    }
  }
  outcome(target, `not reconnected after ${TRIES_MAX} attempts`)
  return { code, tries: TRIES_MAX, backMs: undefined }
}

async function hears({ target, feed }: Member): Promise<boolean> {
  const heard = await feed.until(
    () => feed.received.some(({ type }) => type === 'ProtocolConfigChanged'),
    EVENT_MS,
  )
  outcome(target, heard ? 'reconnected with its room' : 'reconnected, but gets no event')
  return heard
}

function judgeReturns(judge: Judge, { returns, heard }: { returns: readonly Return[]; heard: number }): void {
  const times = returns.flatMap(({ backMs }) => (backMs === undefined ? [] : [backMs])).sort((a, b) => a - b)
  const tries = returns.reduce((sum, one) => sum + one.tries, 0)
  const at = (share: number) => `${((times[Math.ceil(share * times.length) - 1] ?? 0) / 1000).toFixed(1)} s`
  const seen = [
    `${times.length} of ${returns.length} synchronized again`,
    ...(times.length === 0
      ? []
      : [
          `50 % within ${at(0.5)}, 99 % within ${at(0.99)}, the last within ${at(1)}`,
          `the first after ${at(1 / times.length)}`,
        ]),
    `${tries - times.length} of ${tries} attempts failed`,
    `${heard} of them got the change event`,
  ].join('; ')
  if (heard === returns.length) judge.pass(RESTORES, seen)
  else if (heard === 0) judge.fail(RESTORES, seen)
  else judge.inconclusive(RESTORES, seen)
}
