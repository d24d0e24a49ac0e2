import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { ApiToken } from '../lib/identity/api-token.ts'
import {
  credentialRead,
  endSession,
  getCredential,
  isAlive,
  refreshTwice,
  requireFullCredential,
  type Session,
  signIn,
  startSession,
  verifyPatiently,
  withSession,
} from '../lib/identity/session.ts'
import { sharesWallets } from '../lib/identity/shared-wallets.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isSuccess, request } from '../lib/requests/request.ts'
import { CannotJudge, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'
import { readAll, readsServedTo } from './reads-served.ts'
import { aliveness, judgeRefusal, judgeToken, makeToken } from './session-checks.ts'

const EVERY = 'auth.logout-all.every-session'

/** Between the sessions: a query may find only those of the last seconds. */
const APART_MS = 10_000

/** Ends every session of its wallet, so it has its own. */
export const logoutAll: Probe = {
  rules: [EVERY],
  world: 'main',
  endsSessions: true,
  async run(target, judge) {
    const wallet = walletFor(target, 'logoutAll')
    const foreign = await startForeign(target, wallet)
    try {
      // A careless query ends only what is newer than the caller, or older.
      await withSession(target, wallet, async (older) => {
        await elapse(target, APART_MS)
        await withSession(target, wallet, (caller) =>
          withSession(target, wallet, async (newer) => {
            await refreshTwice(target, newer)
            await judgeLogoutAll(target, judge, { older, caller, newer, foreign })
          }),
        )
      })
    } finally {
      if (foreign) await endSession(target, foreign)
    }
  },
}

/** A live session of another wallet, if there is one. */
async function startForeign(target: Target, wallet: Wallet): Promise<Session | undefined> {
  let foreign: Session | undefined
  await unlessCannot(async () => {
    const other = walletFor(target, 'refreshEnds')
    if (other.address !== wallet.address) foreign = await signIn(target, other)
  })
  return foreign
}

type Sessions = { older: Session; caller: Session; newer: Session; foreign: Session | undefined }

async function judgeLogoutAll(
  target: Target,
  judge: Judge,
  { older, caller, newer, foreign }: Sessions,
): Promise<void> {
  const before = await aliveness(target, { older, caller, newer })
  if (before.text !== 'older: alive, caller: alive, newer: alive')
    throw new CannotJudge(`before the logout: ${before.text}`)
  const isForeignAlive = foreign !== undefined && (await isAlive(target, getCredential(foreign))).alive
  await readAll(target, getCredential(newer))
  const token = await makeToken(target, newer)
  const credential = requireFullCredential(caller)
  const out = await request(target, { method: 'POST', path: '/auth/logout-all', credential })
  if (isSuccess(out)) await judgeHowEnded(target, judge, newer)
  const after = await aliveness(target, { older, caller, newer })
  const served = await readsServedTo(target, getCredential(newer))
  const holds = after.text === 'older: ended, caller: ended, newer: ended' && served.length === 0
  const evidence = [out.evidence(), ...after.evidence, ...served.map((reply) => reply.evidence())]
  const seen = `${out.status}; ${after.text}; the newer one then gets ${served.length} reads`
  const { wallet } = caller
  if (holds)
    await judgeAfterAll(target, judge, {
      wallet,
      token,
      ended: newer,
      foreign: isForeignAlive ? foreign : undefined,
    })
  judge.that(EVERY, holds, seen, evidence)
}

/** The witness signs in only if it is needed: a sign-in may change what a server makes of the other sessions. */
async function judgeHowEnded(target: Target, judge: Judge, ended: Session): Promise<void> {
  const { status } = await request(target, credentialRead(target, getCredential(ended)))
  if (status === 401 || !isClientError({ status })) return
  await unlessCannot(() =>
    withSession(target, ended.wallet, (witness) =>
      judgeRefusal(target, judge, { rule: EVERY, ended, witness }),
    ),
  )
}

type After = {
  wallet: Wallet
  token: ApiToken | undefined
  ended: Session
  foreign: Session | undefined
}

/** Only sessions of the wallet end: it still has access, its API token works, and so does the session of another wallet. */
async function judgeAfterAll(
  target: Target,
  judge: Judge,
  { wallet, token, ended, foreign }: After,
): Promise<void> {
  const verified = await verifyPatiently(target, wallet)
  const session = isSuccess(verified) ? startSession(target, { wallet, verified }) : undefined
  const reply = session ? await request(target, credentialRead(target, getCredential(session))) : verified
  if (session) {
    if (foreign) {
      await judgeBegun(target, judge, { session, foreign })
      await judgeForeign(target, judge, { session, foreign })
    }
    await judgeToken(target, judge, { rule: EVERY, token, owner: session, ended })
    await endSession(target, session)
  }
  if (reply.status !== 403) return
  judge.fail(EVERY, 'then the wallet has no access any more', [reply.evidence()])
}

/** Unless another probe with the same wallet may have ended it too. The witness is a session of another wallet. */
async function judgeBegun(
  target: Target,
  judge: Judge,
  { session, foreign }: { session: Session; foreign: Session },
): Promise<void> {
  if (sharesWallets(target)) return
  const { outcome, reply, explanation } = await isStillServed(target, getCredential(session), {
    witness: getCredential(foreign),
  })
  const seen = `then a new session of the wallet is rejected: ${explanation}`
  if (outcome === 'refused') judge.fail(EVERY, seen, [reply.evidence()])
}

/** The witness is a session that has begun after the logout. */
async function judgeForeign(
  target: Target,
  judge: Judge,
  { session, foreign }: { session: Session; foreign: Session },
): Promise<void> {
  const { outcome, reply, explanation } = await isStillServed(target, getCredential(foreign), {
    witness: getCredential(session),
  })
  const seen = `a session of another wallet ends too: ${explanation}`
  if (outcome === 'refused') judge.fail(EVERY, seen, [reply.evidence()])
}
