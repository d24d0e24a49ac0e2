import { verifyRequest } from '../../client/session.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  type ApiToken,
  createdToken,
  listApiTokens,
  postApiToken,
  revokeApiToken,
  tryAndRevoke,
  tryApiToken,
} from '../lib/identity/api-token.ts'
import {
  challenge,
  copySession,
  credentialRead,
  endSession,
  getCredential,
  isAlive,
  requireFullCredential,
  type Session,
  signIn,
  takeReply,
  withSession,
} from '../lib/identity/session.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { differentWallets, sign } from '../lib/identity/wallet.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { errorWatch } from '../lib/probe/watch-errors.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError, judgeRejected } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { ifPossible, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { MADE_UP } from './csrf.ts'
import { judgeListedToAnother } from './token-list.ts'

/**
 * A session with access creates API tokens: fails a 401, 403 or 5xx that persists while the session lists its tokens and reads.
 * Any other rejection may be about the name or the lifetime, whose bounds are open.
 */
export async function judgeRefusedCreation(
  target: Target,
  judge: Judge,
  { rule, session, reply: first }: { rule: string; session: Session; reply: Reply },
): Promise<void> {
  const credential = requireFullCredential(session)
  const describeError = ({ status }: Reply) =>
    status === 401 || status === 403 || status >= 500 ? String(status) : undefined
  if (describeError(first) === undefined) return
  if (isClientError(first) && !(await mayCreate(target, session))) return
  const { outcome, last, explanation } = await confirm({
    first,
    describeError,
    again: () => tryAndRevoke(target, credential),
    witness: async () => {
      const read = await request(target, credentialRead(target, credential))
      const list = await listApiTokens(target, credential)
      const explanation = `GET /api-tokens -> ${list.status}, a read -> ${read.status}`
      return { served: list.status === 200 && read.status === 200, explanation }
    },
  })
  if (outcome === 'persistent')
    judge.fail(rule, `a session with access cannot create a token: ${explanation}`, [last.evidence()])
}

/** Neither a maximum of tokens nor a CSRF token that the profile misnames explains a rejection. */
async function mayCreate(target: Target, session: Session): Promise<boolean> {
  const { list } = target.profile.choices.apiTokens
  const listed = await listApiTokens(target, requireFullCredential(session))
  if (list === null || pickRows(listed.json, list)?.length !== 0) return false
  let isTokenRight = false
  await withSession(target, session.wallet, async (other) => {
    const credential = requireFullCredential(other)
    const logout = (csrf: string | undefined) =>
      request(target, { method: 'POST', path: '/auth/logout', credential: { ...credential, csrf } })
    // A logout that depends on the token, and works with it.
    const isChecked = isClientError(await logout(MADE_UP)) && (await isAlive(target, credential)).alive
    isTokenRight = isChecked && isSuccess(await logout(credential.csrf))
  })
  return isTokenRight
}

const NEEDS_CSRF = 'api-token.create.needs-csrf'

type SessionCredential = ReturnType<typeof getCredential>

/** Tries twice without the header, and then wrong ones. Before each try without, a token was created with the header and revoked, so only the header is missing. */
export async function judgeCsrf(target: Target, judge: Judge, credential: SessionCredential): Promise<void> {
  const make = async (by: SessionCredential, headers: Record<string, string> = {}): Promise<Reply> => {
    const reply = await postApiToken(target, by, { headers })
    const made = await createdToken(target, reply, credential)
    if (made) await revokeApiToken(target, { id: made.id, credential })
    return reply
  }
  const without = { ...credential, csrf: undefined }
  const first = await make(without)
  const granted = await make(credential)
  const tries = [first, await make(without)]
  if (isSuccess(granted)) errorWatch.checkTwins({ method: 'POST', path: '/api-tokens' }, tries)
  // A server may skip the check for clients that are no browsers, while the cookie still counts.
  await unlessCannot(async () => {
    const reply = await make(without, { Authorization: 'Bearer x' })
    if (isSuccess(reply))
      judge.fail(NEEDS_CSRF, 'created next to an Authorization header', [reply.evidence()])
  })
  await withForeignToken(target, async (foreign) => {
    const wrong = [MADE_UP, ...(foreign === undefined || foreign === credential.csrf ? [] : [foreign])]
    for (const csrf of wrong) {
      const reply = await make({ ...credential, csrf })
      const whose = csrf === MADE_UP ? 'a made-up CSRF token' : 'the CSRF token of another wallet'
      if (isSuccess(reply)) judge.fail(NEEDS_CSRF, `created with ${whose}`, [reply.evidence()])
      tries.push(reply)
    }
  })
  judgeRejected(judge, NEEDS_CSRF, tries)
}

/** Runs `use` with the CSRF token of a live session of another wallet, if there is one. */
async function withForeignToken(
  target: Target,
  use: (foreign: string | undefined) => Promise<void>,
): Promise<void> {
  const session = await ifPossible(() =>
    signIn(target, differentWallets(target, 'apiTokens', 'tokensOfAnother')[1]),
  )
  try {
    await use(session?.csrf)
  } finally {
    if (session) await endSession(target, session)
  }
}

/** The request that created a token, again: another token or a rejection, but not the same secret. Passes nothing. */
export async function judgeSameName(
  target: Target,
  judge: Judge,
  { token, credential }: { token: ApiToken; credential: SessionCredential },
): Promise<void> {
  const name = pickText(token.reply.json, 'data.name')
  if (name === undefined) return
  const reply = await postApiToken(target, credential, { name })
  const again = await createdToken(target, reply, credential)
  const seen = 'a request with the same name returns the same secret again'
  if (again?.bearer.bearer === token.bearer.bearer)
    judge.fail('api-token.secret.once', seen, [reply.evidence()])
  else if (again) await revokeApiToken(target, { id: again.id, credential })
}

const REVOKE_ENDS = 'api-token.revoke.ends'

/** The first pair may have to wait for a second connection. */
const PAIRS = 2

/**
 * Two tokens that a wallet creates at the same time are two tokens: each must work. A rejection counts if it persists while the other
 * one is served. A server may reject one of the creations. Passes nothing, and revokes the tokens.
 */
export async function judgeCreatedAtOnce(
  target: Target,
  judge: Judge,
  credential: ReturnType<typeof requireFullCredential>,
): Promise<void> {
  for (let number = 0; number < PAIRS; number++) {
    const replies = await Promise.all([tryApiToken(target, credential), tryApiToken(target, credential)])
    const made: ApiToken[] = []
    for (const reply of replies) {
      const token = await createdToken(target, reply, credential)
      if (token) made.push(token)
    }
    try {
      const [one, other] = made
      if (!one || !other) return
      await judgeOne(target, judge, { token: one, witness: other })
      await judgeOne(target, judge, { token: other, witness: one })
    } finally {
      // Cleanup: the result affects no verdict.
      for (const { id } of made) await revokeApiToken(target, { id, credential }).catch(() => undefined)
    }
  }
}

async function judgeOne(
  target: Target,
  judge: Judge,
  { token, witness }: { token: ApiToken; witness: ApiToken },
): Promise<void> {
  const { outcome, reply, explanation } = await isStillServed(target, token.bearer, {
    witness: witness.bearer,
  })
  const seen = `of two tokens created at the same time, one fails: ${explanation}`
  if (outcome === 'refused') judge.fail(REVOKE_ENDS, seen, [token.reply.evidence(), reply.evidence()])
}

/**
 * The wallet owns its tokens, whichever of its sessions created them: another session revokes a live token. A rejection counts if
 * it persists while that session lists tokens, and the session that created the token revokes it then. Passes nothing, and always
 * revokes the token.
 */
export async function judgeRevokedByAnother(
  target: Target,
  judge: Judge,
  { token, maker }: { token: ApiToken; maker: Session },
): Promise<void> {
  const { id, bearer } = token
  const revokeByMaker = () => revokeApiToken(target, { id, credential: requireFullCredential(maker) })
  let isRevoked = false
  await unlessCannot(() =>
    withSession(target, maker.wallet, async (another) => {
      await judgeListedToAnother(target, judge, { token, maker, another })
      const credential = requireFullCredential(another)
      const revoke = () => revokeApiToken(target, { id, credential })
      const { outcome, last, explanation } = await confirm<Reply>({
        first: await revoke(),
        describeError: (reply) => (isClientError(reply) ? String(reply.status) : undefined),
        again: revoke,
        witness: async () => {
          const list = await listApiTokens(target, credential)
          const { alive } = await isAlive(target, bearer)
          const explanation = `its list of tokens -> ${list.status}, the token is ${alive ? 'alive' : 'ended'}`
          return { served: list.status === 200 && alive, explanation }
        },
      })
      const after = await isAlive(target, bearer)
      isRevoked = !after.alive
      const evidence = [last.evidence(), after.reply.evidence()]
      if (isSuccess(last) && after.alive) {
        const seen = `another session of the wallet revoked a token: ${last.status}, but the next read with it returned ${after.reply.status}`
        judge.fail(REVOKE_ENDS, seen, evidence)
      }
      if (outcome !== 'persistent' || !after.alive) return
      const byMaker = await revokeByMaker()
      isRevoked = isSuccess(byMaker) && !(await isAlive(target, bearer)).alive
      const rejected = `another session of the wallet cannot revoke a token: ${explanation}`
      if (isRevoked) judge.fail(REVOKE_ENDS, rejected, [...evidence, byMaker.evidence()])
    }),
  )
  if (!isRevoked) await revokeByMaker()
}

type Switch = {
  rule: string
  from: Wallet
  to: Wallet
  /** An API token of `from`. */
  id: string
}

/**
 * Signs `to` in with the cookies of a session of `from`, as a browser does when its user changes wallets: the tokens of `from` must
 * not be listed to the session that follows. A rejected sign-in is not judged. Passes nothing.
 */
export async function judgeSwitchedWallet(
  target: Target,
  judge: Judge,
  { rule, from, to, id }: Switch,
): Promise<void> {
  await unlessCannot(() =>
    // Its own session, since the sign-in may end it.
    withSession(target, from, async (session) => {
      const switched = await switchWallet(target, session, to)
      if (!switched) return
      try {
        const list = () => listApiTokens(target, getCredential(switched))
        const { outcome, last, explanation } = await confirm<Reply>({
          first: await list(),
          describeError: ({ text }) => (text.includes(`"${id}"`) ? 'listed' : undefined),
          again: list,
          witness: async () => {
            const { alive, reply } = await isAlive(target, getCredential(switched))
            return { served: alive, explanation: `a read -> ${reply.status}` }
          },
        })
        const seen = `another wallet signed in with the cookies of the first, whose token is then ${explanation}`
        if (outcome === 'persistent') judge.fail(rule, seen, [switched.verified.evidence(), last.evidence()])
      } finally {
        await endSession(target, switched)
      }
    }),
  )
}

/** Returns the session of the browser after the sign-in, or undefined if that is rejected. */
async function switchWallet(target: Target, session: Session, to: Wallet): Promise<Session | undefined> {
  const signature = await sign(target, to, await challenge(target, to))
  const verified = await request(target, {
    ...verifyRequest({ address: to.address, signature }),
    credential: getCredential(session),
  })
  if (!isSuccess(verified)) return undefined
  const switched = { ...copySession(session), wallet: to, verified }
  takeReply(target, switched, verified)
  return switched
}
