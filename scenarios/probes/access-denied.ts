import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { createdToken, postApiToken, revokeApiToken } from '../lib/identity/api-token.ts'
import { readCredential } from '../lib/identity/credential.ts'
import {
  challenge,
  credentialRead,
  endSession,
  getCredential,
  refresh,
  type Session,
  startSession,
  verify,
  verifyPatiently,
  verifyWallet,
  withSession,
} from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import { errorWatch } from '../lib/probe/watch-errors.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { explainNotTheExchange } from '../lib/requests/reply.ts'
import {
  type Credential,
  isError,
  isSuccess,
  type Reply,
  type RequestSpec,
  request,
} from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { CannotProbe, ifPossible, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { ACCESS_PATHS, portfolioPaths, STATED_DATA_PATHS } from './data-paths.ts'

/** Signs in without access; every endpoint that needs access must return 403. */
export async function judgeDenied(target: Target, judge: Judge): Promise<void> {
  const rule = 'auth.access.denied-403'
  const wallet = target.wallets.find(({ hasAccess }) => !hasAccess)
  if (!wallet) throw new CannotProbe('the profile names no wallet without access', 'wallets')
  const verified = await verifyPatiently(target, wallet)
  if (!isSuccess(verified)) {
    const evidence = [verified.evidence()]
    if (verified.status === 403) return judgeCookies(target, judge, { rule, wallet, verified })
    await unlessCannot(() => judgeRecognized(target, judge, { rule, wallet, first: verified }))
    return judge.inconclusive(rule, 'rejected at verify, possibly because of the signature', evidence)
  }
  const session = startSession(target, { wallet, verified })
  try {
    const denied = await requestDenied(target, session)
    await unlessCannot(async () => {
      if (!isSuccess(await refresh(target, session))) return
      const read = { method: 'GET', path: '/swaps', credential: getCredential(session) } as const
      const reply = await request(target, read)
      if (isSuccess(reply)) denied.push({ reply, isOpen: false, explanation: 'served after a refresh' })
    })
    judgeAll403(judge, rule, denied)
  } finally {
    await endSession(target, session)
  }
}

/**
 * The exchange recognized a valid signature if it always rejects it in the same way, and a wrong one of the wallet in another way,
 * while another wallet signs in: then the status must be 403. Passes nothing.
 */
async function judgeRecognized(
  target: Target,
  judge: Judge,
  { rule, wallet, first }: { rule: string; wallet: Wallet; first: Reply },
): Promise<void> {
  const tryWrong = async () =>
    describeRejection(await verify(target, wallet, `not ${await challenge(target, wallet)}`))
  const [right, wrong] = [describeRejection(first), await tryWrong()]
  if (right === undefined || wrong === undefined || wrong === right) return
  const { outcome, last, explanation } = await confirm<Reply>({
    first,
    describeError: describeRejection,
    again: () => verifyWallet(target, wallet),
    witness: async () => {
      let isOtherIn = false
      await withSession(target, walletFor(target, 'signIn'), async () => {
        isOtherIn = true
      })
      const seen = await tryWrong()
      return { served: isOtherIn && seen === wrong, explanation: `a wrong signature -> ${seen}` }
    },
  })
  if (outcome === 'persistent')
    judge.fail(rule, `a valid signature at verify: ${explanation}`, [last.evidence()])
}

/** Undefined unless it may be about a signature. */
function describeRejection(reply: Reply): string | undefined {
  if (!isClientError(reply) || reply.status === 403 || reply.status === 429) return undefined
  return [reply.status, pickText(reply.json, 'code'), pickText(reply.json, 'error')].join(' ').trim()
}

/** A sign-in that was denied may set cookies, but not those of a session that is served. */
async function judgeCookies(
  target: Target,
  judge: Judge,
  { rule, ...denied }: { rule: string; wallet: Wallet; verified: Reply },
): Promise<void> {
  const session = startSession(target, denied)
  const credential = getCredential(session)
  const evidence = [denied.verified.evidence()]
  if (session.cookies.size > 0) {
    const served: Reply[] = []
    const own = ['/auth/sessions', '/auth/ws-ticket'].map(
      (path) => ({ method: 'GET', path, credential }) as const,
    )
    for (const read of [credentialRead(target, credential), ...own]) served.push(await request(target, read))
    await unlessCannot(async () => void served.push(await refresh(target, session)))
    await endSession(target, session)
    const shown = served.filter(isSuccess).map((reply) => reply.evidence())
    if (shown.length > 0)
      judge.fail(rule, 'verify returned 403 with the cookies of a session', [...evidence, ...shown])
  }
  await unlessCannot(async () => {
    const again = await verifyWallet(target, denied.wallet)
    if (again.status === 403)
      errorWatch.checkTwins({ method: 'POST', path: '/auth/verify' }, [denied.verified, again])
  })
  judge.pass(rule, 'verify returned 403', evidence)
}

type Read = Pick<RequestSpec, 'path' | 'query'>

/**
 * A response to a wallet without access. `isOpen`: a status other than 403 may be about the request itself. `explanation`: why
 * it is about access.
 */
type Denied = { reply: Reply; isOpen: boolean; explanation?: string }

/** Requests every endpoint that needs access, except those that show a wallet its own access. */
async function requestDenied(target: Target, session: Session): Promise<Denied[]> {
  const credential = getCredential(session)
  const stated = STATED_DATA_PATHS.filter((path) => !ACCESS_PATHS.includes(path)).map((path) => ({ path }))
  const others = [...portfolioPaths(target.profile).map((path) => ({ path })), await findPoolRoute(target)]
  const denied: Denied[] = []
  for (const read of [...stated, ...others]) {
    const reply = await request(target, { method: 'GET', ...read, credential })
    const explanation = stated.includes(read)
      ? undefined
      : await explainServedToOthers(target, { reply, read, credential })
    denied.push({
      reply,
      isOpen: explanation === undefined && !stated.includes(read),
      ...(explanation === undefined ? {} : { explanation }),
    })
  }
  if (session.csrf === undefined) return denied
  const created = await postApiToken(target, credential)
  const token = await createdToken(target, created, credential)
  if (token) await revokeApiToken(target, { id: token.id, credential })
  return [...denied, { reply: created, isOpen: true }]
}

/** An error other than 403 is about access if it persists while a wallet with access is served the same. Undefined: it is not. */
async function explainServedToOthers(
  target: Target,
  { reply, read, credential }: { reply: Reply; read: Read; credential: Credential },
): Promise<string | undefined> {
  let explained: string | undefined
  await unlessCannot(async () => {
    if (reply.status < 400 || [401, 403, 429].includes(reply.status)) return
    const invited = await readCredential(target)
    const { outcome, explanation } = await confirm({
      first: reply,
      describeError: ({ status }) => (status >= 400 && status !== 403 ? String(status) : undefined),
      again: () => request(target, { method: 'GET', ...read, credential }),
      witness: async () => {
        const { status } = await request(target, { method: 'GET', ...read, credential: invited })
        return { served: status === 200, explanation: `GET ${read.path} with access -> ${status}` }
      },
    })
    if (outcome === 'persistent') explained = explanation
  })
  return explained
}

const PAIRS_MAX = 5

/** A route between the tokens of one pool that a wallet with access is served, or else of any pool: access is denied first. */
async function findPoolRoute(target: Target): Promise<Read> {
  const list = await requestParsed(target, { path: '/pools', query: { limit: '50' } })
  const pools = pickRows(list.json, 'data') ?? []
  const enabled = pools.filter((pool) => pick(pool, 'enabled') === true)
  const reads = [...enabled.slice(0, PAIRS_MAX), pools[0]].map((pool) => ({
    path: '/route',
    query: {
      token_in: pickText(pool, 'token0') ?? '',
      token_out: pickText(pool, 'token1') ?? '',
      amount_in: '1000000',
    },
  }))
  let found: Read | undefined
  await unlessCannot(async () => {
    const credential = await readCredential(target)
    for (const read of reads) {
      if (found) return
      if ((await request(target, { method: 'GET', ...read, credential })).status === 200) found = read
    }
  })
  return found ?? reads[0] ?? { path: '/route' }
}

function judgeAll403(judge: Judge, rule: string, denied: readonly Denied[]): void {
  const others = denied.filter(({ reply }) => reply.status !== 403)
  const wrong = others.filter(
    ({ reply, isOpen }) =>
      isSuccess(reply) || reply.status === 401 || (!isOpen && (isClientError(reply) || isError(reply))),
  )
  const unclear = others.filter(({ isOpen }) => !isOpen)
  const evidence = (wrong.length > 0 ? wrong : others).map(({ reply }) => reply.evidence())
  const explanations = wrong.flatMap(({ explanation }) => explanation ?? []).map((one) => `: ${one}`)
  const seen = `signed in without access: ${denied.length - others.length} of ${denied.length} requests returned 403${explanations.join('')}`
  if (wrong.length > 0) judge.fail(rule, seen, evidence)
  else if (unclear.length > 0) judge.inconclusive(rule, `neither success nor 403: ${seen}`, evidence)
  else judge.pass(rule, seen, evidence)
}

/** The response to a request without a valid credential. */
export type Tried = { reply: Reply; again: () => Promise<Reply> }

export async function tryOut(send: () => Promise<Reply>): Promise<Tried> {
  return { reply: await send(), again: send }
}

/** Not found, or a redirect, such as to a page for signing in. */
export function isElsewhere({ status }: Pick<Reply, 'status'>): boolean {
  return status === 404 || (status >= 300 && status < 400)
}

/** Any request may be rate limited. */
const RIGHT_OR_UNCLEAR = [401, 429]

/**
 * Judges reads that must get 401. Another rejection counts if it persists while a valid credential is served; a 404, a redirect or a
 * page of another server says nothing about credentials.
 */
export async function judge401(
  target: Target,
  judge: Judge,
  { rule, tries }: { rule: string; tries: readonly Tried[] },
): Promise<void> {
  const statuses = tries.map(({ reply }) => reply.status).join(', ')
  const isOwn = ({ reply }: Tried) => explainNotTheExchange(reply) === undefined && !isElsewhere(reply)
  const wrong = tries.filter((one) => isOwn(one) && (isSuccess(one.reply) || isError(one.reply)))
  if (wrong.length > 0) return judge.fail(rule, statuses, listEvidence(wrong))
  const open: Tried[] = []
  for (const tried of tries.filter(({ reply }) => reply.status !== 401)) {
    const { outcome, reply, explanation } = await confirmRejection(target, tried)
    if (outcome === 'persistent') return judge.fail(rule, `${statuses}; ${explanation}`, [reply.evidence()])
    if (reply.status !== 401) open.push({ ...tried, reply })
  }
  if (open.length > 0) judge.inconclusive(rule, `neither success nor 401: ${statuses}`, listEvidence(open))
  else judge.pass(rule, statuses)
}

async function confirmRejection(target: Target, { reply, again }: Tried) {
  const { outcome, last, explanation } = await confirm<Reply>({
    first: reply,
    describeError: (one) =>
      isClientError(one) && !isElsewhere(one) && !RIGHT_OR_UNCLEAR.includes(one.status)
        ? String(one.status)
        : undefined,
    again,
    witness: () => readValid(target),
  })
  return { outcome, reply: last, explanation }
}

/** Without any credential, the witness is a public read. */
async function readValid(target: Target): Promise<{ served: boolean; explanation: string }> {
  const credential = await ifPossible(() => readCredential(target))
  const read: RequestSpec =
    credential === undefined ? { method: 'GET', path: '/pools' } : credentialRead(target, credential)
  const { status } = await request(target, read)
  const by = credential === undefined ? '' : ' with a valid credential'
  return { served: status === 200, explanation: `GET ${read.path}${by} -> ${status}` }
}

function listEvidence(tries: readonly Tried[]): string[] {
  return tries.map(({ reply }) => reply.evidence())
}
