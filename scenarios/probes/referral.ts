import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { withApiToken, withBearer } from '../lib/identity/api-token.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { availableCode, findCountProblem, readCodes } from '../lib/identity/referral-codes.ts'
import {
  credentialRead,
  endSession,
  getCredential,
  refresh,
  requireFullCredential,
  type Session,
  startSession,
  verifyPatiently,
  withSession,
} from '../lib/identity/session.ts'
import { requireAdministrator, walletFor } from '../lib/identity/wallet.ts'
import { pick } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { CATCH_UP_GAP_MS } from '../lib/requests/persistence.ts'
import { judgeRejected } from '../lib/requests/refusal.ts'
import { type Credential, isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { check } from '../lib/verdict/check.ts'
import {
  CannotJudge,
  type Judge,
  mustAllowMutations,
  requireChoice,
  unlessCannot,
} from '../lib/verdict/judge.ts'
import { judgeEndedAdministrator } from './ended-administrator.ts'
import { judgeCodesAlias } from './path-aliases.ts'
import { judgeWithoutCredential, type Write } from './writes-without-credential.ts'

const RECORDS = [
  { rule: 'referral.status.record', path: '/referral/status', schema: 'referralStatus' },
  { rule: 'referral.access.record', path: '/access/status', schema: 'accessStatus' },
] as const

export const referralRecords: Probe = {
  rules: ['referral.status.record', 'referral.access.record'],
  world: 'main',
  async run(target, judge) {
    const credential = await readCredential(target)
    await judgeHasAccess(target, judge)
    for (const { rule, path, schema } of RECORDS) {
      const reply = await request(target, { method: 'GET', path, credential })
      const problems = check(schema, reply.json)
      // Omit the body: it contains a code that may be passed on.
      if (isSuccess(reply))
        judge.that(rule, problems.length === 0, problems.join('; ') || 'fits', [
          `GET ${path} -> ${reply.status}`,
        ])
      else if (isError(reply)) judge.fail(rule, `${path} was not served: ${reply.status}`, [reply.evidence()])
      else judge.inconclusive(rule, `${path} returned ${reply.status}`)
    }
  },
}

const HAS_ACCESS = 'data.has_access'

/** `has_access` of a wallet with access, by API token and session, and of one without, if it may sign in. */
async function judgeHasAccess(target: Target, judge: Judge): Promise<void> {
  await unlessCannot(() =>
    withBearer(target, { use: 'apiTokens', prefer: 'made' }, async (bearer, made) => {
      // The profile does not state the wallet of a given token.
      if (made === undefined) return
      await judgeOne(target, judge, { credential: bearer, by: 'API token', hasAccess: true })
      const credential = getCredential(made.session)
      await judgeOne(target, judge, { credential, by: 'session', hasAccess: true })
    }),
  )
  const wallet = target.wallets.find(({ hasAccess }) => !hasAccess)
  if (wallet === undefined) return
  await unlessCannot(async () => {
    const verified = await verifyPatiently(target, wallet)
    if (!isSuccess(verified)) return
    const session = startSession(target, { wallet, verified })
    try {
      await judgeOne(target, judge, { credential: getCredential(session), by: 'session', hasAccess: false })
    } finally {
      await endSession(target, session)
    }
  })
}

type Owner = { credential: Credential; by: string; hasAccess: boolean }

async function judgeOne(target: Target, judge: Judge, { credential, by, hasAccess }: Owner): Promise<void> {
  for (const record of RECORDS) await judgeOneRecord(target, judge, { ...record, credential, by, hasAccess })
}

/** The witness, a read that needs access, shows that the profile is right about the wallet. */
async function judgeOneRecord(
  target: Target,
  judge: Judge,
  { rule, path, credential, by, hasAccess }: Owner & { rule: string; path: string },
): Promise<void> {
  const read = () => request(target, { method: 'GET', path, credential })
  const { outcome, last, explanation } = await confirm<Reply>({
    first: await read(),
    describeError: (reply) =>
      isSuccess(reply) && pick(reply.json, HAS_ACCESS) === !hasAccess
        ? `has_access is ${!hasAccess}`
        : undefined,
    again: read,
    witness: async () => {
      const { status } = await request(target, {
        method: 'GET',
        path: '/swaps',
        query: { limit: '1' },
        credential,
      })
      return {
        served: status === (hasAccess ? 200 : 403),
        explanation: `GET /swaps with the same credential -> ${status}`,
      }
    },
  })
  const seen = `by ${by} of a wallet with${hasAccess ? '' : 'out'} access: ${explanation}`
  if (outcome === 'persistent') judge.fail(rule, seen, [`GET ${path} -> ${last.status}`])
}

const REDEMPTIONS = [
  { rule: 'referral.redeem.session-only', name: 'redeemPath' },
  { rule: 'referral.attribution.session-only', name: 'attributionPath' },
] as const

/** Redemption and attribution need a session: tried without credentials, then by API token with a valid code, if one is known. */
export const referralBySession: readonly Probe[] = REDEMPTIONS.map(({ rule, name }) => ({
  rules: [rule],
  world: 'main',
  async run(target, judge) {
    mustAllowMutations(target, 'a referral code')
    const { referral } = target.profile.choices
    const path = requireChoice(referral[name], `the path of ${rule.split('.')[1]}`)
    const field = requireChoice(referral.code, 'the name of a referral code in a request')
    const post = (code: string, credential?: Credential): Promise<Reply> =>
      request(target, { method: 'POST', path, body: { [field]: code }, credential, once: true })
    const send = (credential?: Credential) => post(MADE_UP, credential)
    const anonymous = await send()
    if (isSuccess(anonymous))
      return judge.fail(rule, `${anonymous.status} without credentials`, [anonymous.evidence()])
    const wallet = walletFor(target, 'apiTokens')
    if (anonymous.status === 403)
      await judgeDenial(target, judge, { rule, wallet, name: `POST ${path}`, send })
    const code = await realCode(target, wallet)
    await withBearer(target, { use: 'apiTokens', prefer: 'made' }, async (bearer) => {
      const byToken = await post(code ?? MADE_UP, bearer)
      await withSession(target, wallet, async (session) => {
        const bySession = await post(MADE_UP, requireFullCredential(session))
        judgeBoth(judge, { rule, byToken, bySession })
      })
    })
  },
}))

const MADE_UP = 'NO-SUCH-CODE-2345'

/** Signs in only if a 403 without credentials needs another look. Passes nothing. */
export async function judgeDenial(
  target: Target,
  judge: Judge,
  { wallet, ...write }: { rule: string; wallet: Wallet; name: string; send: Write['send'] },
): Promise<void> {
  await unlessCannot(() =>
    withSession(target, wallet, (session) =>
      judgeWithoutCredential(target, judge, { ...write, owner: requireFullCredential(session) }),
    ),
  )
}

/** If a session gets a different response, the token was rejected as a credential. */
function judgeBoth(
  judge: Judge,
  { rule, byToken, bySession }: { rule: string; byToken: Reply; bySession: Reply },
): void {
  const seen = `${byToken.status} by API token, ${bySession.status} by session with a made-up code`
  const evidence = [byToken, bySession].map((reply) => reply.evidence())
  const turnedAway = ({ status }: Reply) => status === 401 || status === 403
  if (isSuccess(byToken)) judge.fail(rule, seen, evidence)
  else if (turnedAway(byToken) && !turnedAway(bySession)) judge.pass(rule, seen, evidence)
  else judge.inconclusive(rule, `the reason for the rejection is unknown: ${seen}`, evidence)
}

/** An unused code, if the profile names an administrator who can list them. */
async function realCode(target: Target, wallet: Wallet): Promise<string | undefined> {
  const admin = target.wallets.find((one) => one.admin)
  if (!admin) return undefined
  let code: string | undefined
  await withSession(target, admin, async (session) => {
    code = availableCode((await readCodes(target, getCredential(session))).json, wallet)
  })
  return code
}

export const codes: Probe = {
  rules: ['admin.codes.record', 'admin.codes.session-only'],
  world: 'main',
  run(target, judge) {
    return withSession(target, requireAdministrator(target), async (session) => {
      const reply = await readCodes(target, getCredential(session))
      if (!isSuccess(reply)) throw new CannotJudge(`the profile's administrator gets ${reply.status}`)
      const problems = check('codeInventory', reply.json)
      if (problems.length === 0) {
        await judgeCounts(target, judge, { first: reply, session })
        await judgeRefreshedAdministrator(target, judge, session)
      }
      judge.that('admin.codes.record', problems.length === 0, problems.slice(0, 10).join('; ') || 'fits')
      const tries: Reply[] = []
      await withApiToken(target, requireFullCredential(session), async ({ bearer }) => {
        tries.push(await readCodes(target, bearer))
        await readCodes(target, getCredential(session))
        tries.push(await readCodes(target, bearer))
      })
      await judgeEndedAdministrator(target, judge, session.wallet)
      judgeRejected(judge, 'admin.codes.session-only', tries)
    })
  },
}

/** Counts may be cached, so they are wrong if they stay the same. Passes nothing, and shows no code. */
export async function judgeCounts(
  target: Target,
  judge: Judge,
  { first, session }: { first: Reply; session: Session },
): Promise<void> {
  const { outcome, last, explanation } = await confirm<Reply>({
    first,
    describeError: ({ json }) => findCountProblem(json),
    again: () => readCodes(target, getCredential(session)),
    witness: async () => ({ served: true, explanation: '' }),
    serverWaitMs: CATCH_UP_GAP_MS,
  })
  if (outcome === 'persistent') judge.fail('admin.codes.record', explanation, [last.evidence()])
}

/** The request is otherwise valid, so any 4xx is about the credential. */
export const foreignCodes: Probe = {
  rules: ['admin.codes.refused-to-others'],
  world: 'main',
  run(target, judge) {
    return withSession(target, walletFor(target, 'referral'), async (session) => {
      const tries = [await readCodes(target, getCredential(session))]
      // In between, an administrator is served, if the profile names one.
      if (target.wallets.some(({ admin }) => admin))
        await withSession(target, requireAdministrator(target), async (admin) => {
          await readCodes(target, getCredential(admin))
          tries.push(await readCodes(target, getCredential(session)))
        })
      else tries.push(await readCodes(target, getCredential(session)))
      await unlessCannot(async () => {
        if (isSuccess(await refresh(target, session)))
          tries.push(await readCodes(target, getCredential(session)))
      })
      const rule = 'admin.codes.refused-to-others'
      await judgeCodesAlias(target, judge, { rule, credential: getCredential(session), exact: tries })
      judgeRejected(judge, rule, tries)
    })
  },
}

/**
 * A refresh keeps the authority of a session that has read the referral codes: fails a 401 or 403 that persists while it reads
 * other data, and a fresh session of the administrator reads the codes. Passes nothing.
 */
export async function judgeRefreshedAdministrator(
  target: Target,
  judge: Judge,
  session: Session,
): Promise<void> {
  await unlessCannot(async () => {
    if (!isSuccess(await refresh(target, session))) return
    const first = await readCodes(target, getCredential(session))
    if (describeDenial(first) === undefined) return
    await withSession(target, session.wallet, async (fresh) => {
      const { outcome, last, explanation } = await confirm<Reply>({
        first,
        describeError: describeDenial,
        again: () => readCodes(target, getCredential(session)),
        witness: async () => {
          const { status } = await request(target, credentialRead(target, getCredential(session)))
          const codes = await readCodes(target, getCredential(fresh))
          return {
            served: status === 200 && codes.status === 200,
            explanation: `other data -> ${status}, the codes with a fresh session -> ${codes.status}`,
          }
        },
      })
      const seen = `the refreshed session of an administrator: ${explanation}`
      if (outcome === 'persistent') judge.fail('admin.codes.record', seen, [last.evidence()])
    })
  })
}

function describeDenial({ status }: Reply): string | undefined {
  return status === 401 || status === 403 ? String(status) : undefined
}
