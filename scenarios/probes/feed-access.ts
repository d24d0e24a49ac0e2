import type { Target } from '../../contract/scenario-config.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import {
  areServedWithWitness,
  authenticate,
  authenticatePatiently,
  countControls,
  isLost,
  isServedWithWitness,
  mustServe,
  openServedFeed,
  takeTicket,
  throwIfRestarted,
  tryFeed,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { type AlteredSecret, alteredSecrets } from '../lib/identity/altered-secrets.ts'
import { withBearer } from '../lib/identity/api-token.ts'
import { explainMisnamedCookies } from '../lib/identity/cookie-attributes.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { endSession, getCredential, withSession } from '../lib/identity/session.ts'
import { signInToo } from '../lib/identity/sign-in-too.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { credentialHeaders } from '../lib/requests/k6-params.ts'
import type { Credential } from '../lib/requests/request.ts'
import { byItself, CannotJudge, ifPossible, type Judge } from '../lib/verdict/judge.ts'
import { judgeAgain } from './feed-synchronize.ts'

const API_TOKEN = 'ws.auth.rejects-api-token'
const SESSION_TOKEN = 'ws.auth.rejects-session-token'
const UNKNOWN = 'ws.auth.rejects-unknown'
const HANDSHAKE = 'ws.auth.rejects-handshake'

export const feedAccess: Probe = {
  rules: [
    'ws.auth.ticket',
    'ws.sync.answered',
    API_TOKEN,
    SESSION_TOKEN,
    UNKNOWN,
    HANDSHAKE,
    'ws.frame.2000-accepted',
    'ws.frame.over-2048-refused',
  ],
  world: 'main',
  async run(target, judge) {
    const credential = await readCredential(target)
    const { feed, served, persistent } = await tryFeed(target, credential, [])
    const seen = served ? 'synchronize gets a response' : 'synchronize gets no response'
    const shown = [...(persistent === undefined ? [] : [persistent]), ...feed.evidence()]
    judge.that('ws.auth.ticket', served, seen, shown)
    if (!served && feed.closed())
      judge.inconclusive('ws.sync.answered', 'no socket is served', feed.evidence())
    else if (!served) judge.fail('ws.sync.answered', seen, feed.evidence())
    else await byItself(judge, 'ws.sync.answered', () => judgeAgain(target, judge, credential))
    feed.close()
    if (!served) throw new CannotJudge('no socket is served, so an unserved socket proves nothing')

    await Promise.all([
      ...SIZES.map((size) => byItself(judge, size.rule, () => judgeSize(target, judge, size))),
      // In sequence: all sign in with the same wallet.
      byItself(judge, SESSION_TOKEN, () => judgeSessionToken(target, judge))
        .then(() => byItself(judge, API_TOKEN, () => judgeApiToken(target, judge)))
        .then(() => byItself(judge, HANDSHAKE, () => judgeHandshake(target, judge, credential))),
      byItself(judge, UNKNOWN, () => judgeUnknown(target, judge)),
    ])
  },
}

function judgeApiToken(target: Target, judge: Judge): Promise<void> {
  return withBearer(target, { use: 'feed', prefer: 'given' }, (owner) =>
    judgeTokens(target, judge, { rule: API_TOKEN, tokens: [owner.bearer, `Bearer ${owner.bearer}`], owner }),
  )
}

async function judgeSessionToken(target: Target, judge: Judge): Promise<void> {
  const { access, refresh } = target.profile.choices.cookies
  if (access === null)
    return judge.skip(SESSION_TOKEN, 'the profile does not state the name of the access cookie', 'choice')
  await withSession(target, walletFor(target, 'feed'), async (session) => {
    const token = session.cookies.get(access)
    if (token === undefined) {
      const misnamed = explainMisnamedCookies(target.profile.choices, session.verified.cookies)
      return judge.inconclusive(SESSION_TOKEN, misnamed ?? `sign-in set no cookie ${access}`)
    }
    const tokens = [token, `Bearer ${token}`, session.cookies.get(refresh ?? '') ?? token]
    await judgeTokens(target, judge, { rule: SESSION_TOKEN, tokens, owner: getCredential(session) })
  })
}

/** Sends altered tickets: same length, mostly real, so only the issuer can detect them. */
async function judgeUnknown(target: Target, judge: Judge): Promise<void> {
  const credential = await readCredential(target)
  const { ticket } = await takeTicket(target, credential)
  const another = await takeTicket(target, credential)
  // A used ticket may be stored differently from an unused one.
  const { ticket: used } = await takeTicket(target, credential)
  const owner = await openFeed(target)
  await authenticate(owner, used)
  const altered = [
    ...alteredSecrets(ticket, another.ticket),
    ...alteredSecrets(used, another.ticket).filter(({ how }) => /half|end/.test(how)),
  ]
  const feeds = await Promise.all(
    altered.map(async ({ secret }) => {
      const feed = await openFeed(target)
      await authenticatePatiently(feed, secret)
      return feed
    }),
  )
  const served = await areServedWithWitness(feeds, { target, credential })
  for (const feed of [...feeds, owner]) feed.close()
  const taken = altered.filter((_, index) => served[index] === true)
  // A socket closed by a restart was not rejected.
  if (taken.length === 0) feeds.forEach(throwIfRestarted)
  const evidence = feeds.filter((_, index) => served[index] !== false).flatMap((feed) => feed.evidence())
  if (taken.length > 0) judge.fail(UNKNOWN, `served with an altered ticket: ${describe(taken)}`, evidence)
  else if (served.includes(undefined)) judge.inconclusive(UNKNOWN, UNRESPONSIVE, evidence)
  else if (altered.length === 0) judge.inconclusive(UNKNOWN, 'the ticket cannot be altered')
  else judge.pass(UNKNOWN, `refused: ${describe(altered)}`)
}

function describe(altered: readonly AlteredSecret[]): string {
  return altered.map(({ how }) => how).join(', ')
}

/** Sends each non-ticket on sockets of its own. */
async function judgeTokens(
  target: Target,
  judge: Judge,
  { rule, tokens, owner }: { rule: string; tokens: readonly string[]; owner: Credential },
): Promise<void> {
  // The feed may recognize a wallet that it has served by a ticket.
  await mustServe(target, owner)
  const feeds = await Promise.all([...new Set(tokens)].map((token) => sendToken(target, token)))
  await judgeRejected(target, judge, { rule, feeds: feeds.flat() })
}

/** Sends it on two sockets and synchronizes: at once, since it may be served only briefly, and again later. */
async function sendToken(target: Target, token: string): Promise<Feed[]> {
  const feeds: Feed[] = []
  for (let socket = 0; socket < 2; socket++) {
    const feed = await openFeed(target)
    feed.send({ action: 'authenticate', token })
    feed.send({ action: 'synchronize' })
    await feed.settled(SETTLE_MS)
    feeds.push(feed)
  }
  await Promise.all(feeds.map((feed) => authenticatePatiently(feed, token)))
  return feeds
}

const SETTLE_MS = 1000

/** Sends the headers that authenticate a REST client, of each kind if possible, and no frame. */
async function judgeHandshake(target: Target, judge: Judge, credential: Credential): Promise<void> {
  const bare = await openFeed(target)
  const anybody = await isServedWithWitness(bare, { target, credential })
  bare.close()
  if (anybody) return judge.inconclusive(HANDSHAKE, 'a socket without a credential is served too')
  const session = await signInToo(target, credential)
  try {
    const open = (sent: Credential) => openFeed(target, { headers: credentialHeaders(sent) })
    const feeds = [await open(credential)]
    // A server may reject cookies in a handshake.
    const byCookies = session && (await ifPossible(() => open(getCredential(session))))
    if (byCookies) feeds.push(byCookies)
    await judgeRejected(target, judge, { rule: HANDSHAKE, feeds })
  } finally {
    if (session) await endSession(target, session)
  }
}

async function judgeRejected(
  target: Target,
  judge: Judge,
  { rule, feeds }: { rule: string; feeds: readonly Feed[] },
): Promise<void> {
  const credential = await readCredential(target)
  const served = await areServedWithWitness(feeds, { target, credential })
  for (const feed of feeds) feed.close()
  const taken = feeds.filter((feed) => countControls(feed, 'synchronized') > 0)
  const evidence = (taken.length > 0 ? taken : feeds).flatMap((feed) => feed.evidence())
  if (taken.length > 0) judge.fail(rule, 'synchronize gets a response', evidence)
  else if (served.includes(undefined)) judge.inconclusive(rule, UNRESPONSIVE, evidence)
  else judge.pass(rule, [...new Set(feeds.map(describeRefusal))].join(', '), evidence)
}

export function describeRefusal(feed: Feed): string {
  const closed = feed.closed()
  return closed ? `closed with ${closed.code}` : 'synchronize gets no response'
}

type Sized = { bytes: number; frame: string; open?: (target: Target, by: Credential) => Promise<Feed> }

const SYNCHRONIZE = '{"action":"synchronize"}'
/** Trailing white space is valid JSON and pads the frame to any size. */
const padded = (bytes: number): Sized => ({ bytes, frame: SYNCHRONIZE.padEnd(bytes, ' ') })
/** Not synchronize is padded, but the frame that authenticates its socket. */
const paddedTicket = (bytes: number): Sized => ({
  bytes,
  frame: SYNCHRONIZE,
  async open(target, by) {
    const { ticket: token } = await takeTicket(target, by)
    const feed = await openFeed(target)
    feed.sendText(JSON.stringify({ action: 'authenticate', token }).padEnd(bytes, ' '))
    await feed.settled(SETTLE_MS)
    return feed
  },
})
const ACCENTED = 1250
/** Above the limit in bytes, and below it in characters. */
const wide: Sized = {
  bytes: 34 + 2 * ACCENTED,
  frame: `{"action":"synchronize","note":"${'é'.repeat(ACCENTED)}"}`,
}

const SIZES = [
  { rule: 'ws.frame.2000-accepted', frames: [padded(2000), padded(2000)], expected: true },
  {
    rule: 'ws.frame.over-2048-refused',
    frames: [padded(2100), padded(2100), wide, paddedTicket(2100)],
    expected: false,
  },
]

/** Sends each frame on its own socket. A cut counts if four sockets end so, while others are served. */
export async function judgeSize(
  target: Target,
  judge: Judge,
  { rule, frames, expected }: (typeof SIZES)[number],
): Promise<void> {
  const credential = await readCredential(target)
  const shown: string[] = []
  for (const sized of frames) {
    const again = () => sendSized(target, { credential, sized, expected })
    const { outcome, last, explanation } = await confirm({
      first: await again(),
      describeError: ({ feed, processed }) =>
        expected && processed === false && isLost(feed) ? describeRefusal(feed) : undefined,
      again,
      witness: async () => {
        await mustServe(target, credential)
        return { served: true, explanation: 'a socket with small frames is served' }
      },
    })
    const { feed, processed } = last
    const evidence = feed.evidence().map((line) => line.replace(/ {20,}/g, ' (spaces) '))
    if (explanation !== '') evidence.unshift(explanation)
    const seen = `a frame of ${sized.bytes} bytes is ${processed ? 'processed' : 'not processed'}`
    if (processed === undefined) return judge.inconclusive(rule, UNRESPONSIVE, evidence)
    if (outcome === 'open') return judge.inconclusive(rule, explanation, evidence)
    if (processed !== expected) return judge.fail(rule, seen, evidence)
    shown.push(seen, ...evidence)
  }
  judge.pass(rule, `all ${frames.length} frames are ${expected ? 'processed' : 'not processed'}`, shown)
}

/** `processed`: undefined if the socket neither responds to a ping nor closes. */
async function sendSized(
  target: Target,
  { credential, sized, expected }: { credential: Credential; sized: Sized; expected: boolean },
): Promise<{ feed: Feed; processed: boolean | undefined }> {
  const { frame, open } = sized
  const feed = open ? await open(target, credential) : await openServedFeed(target, credential, [])
  const before = countControls(feed, 'synchronized')
  const atOnce = await isServedWithWitness(feed, { target, credential, frame })
  const isLate = () => countControls(feed, 'synchronized') > before
  const processed = atOnce === false && !expected ? await feed.until(isLate, LATE_MS) : atOnce
  feed.close()
  return { feed, processed }
}

/** A server may process a frame even after it rejected it. */
const LATE_MS = 3000
