import type { Target } from '../../contract/scenario-config.ts'
import { withApiToken } from '../lib/identity/api-token.ts'
import { readCodes } from '../lib/identity/referral-codes.ts'
import { requireFullCredential, withSession } from '../lib/identity/session.ts'
import { requireAdministrator, walletFor } from '../lib/identity/wallet.ts'
import { notCanonical } from '../lib/market/routes.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { errorWatch } from '../lib/probe/watch-errors.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError, judgeRejected } from '../lib/requests/refusal.ts'
import { type Credential, isSuccess, type Reply, type RequestSpec, request } from '../lib/requests/request.ts'
import { check } from '../lib/verdict/check.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge, mustAllowMutations, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'
import { judgeWithoutCredential } from './writes-without-credential.ts'

/** Enough digits for separators, too little to matter. */
const AMOUNT = '1000'
const PROGRAMS_MAX = 20

export const mint: Probe = {
  rules: [
    'admin.mint.works',
    'admin.mint.canonical',
    'admin.mint.session-only',
    'admin.mint.refused-to-others',
  ],
  world: 'main',
  async run(target, judge) {
    mustAllowMutations(target, 'a mint')
    const admin = requireAdministrator(target)
    await withSession(target, admin, async (session) => {
      const credential = requireFullCredential(session)
      const granted = await mintAny(target, { recipient: admin.address, credential })
      /** In the order of the rules: by an API token of the administrator, and in the session of another wallet. */
      const byOthers = async (use: (rule: string, by: Credential) => Promise<void>) => {
        await withApiToken(target, credential, ({ bearer }) => use('admin.mint.session-only', bearer))
        await withSession(target, walletFor(target, 'referral'), (other) =>
          use('admin.mint.refused-to-others', requireFullCredential(other)),
        )
      }
      // To be rejected: repeating it does no harm.
      const tried = (by: Credential) => request(target, { ...mintSpec(granted.body, by), repeatable: true })
      if (!isSuccess(granted.reply)) {
        await unlessCannot(() =>
          byOthers(async (rule, by) => judgeServedToOthers(judge, rule, { granted, reply: await tried(by) })),
        )
        return judgeUnauthorized(target, judge, { ...granted, credential })
      }
      judgeMint(judge, granted.reply)
      await judgeSpellings(target, judge, { body: granted.body, credential })
      await byOthers(async (rule, by) => {
        const first = await tried(by)
        await postMint(target, granted.body, credential)
        const tries = [first, await tried(by)]
        errorWatch.checkTwins({ method: 'POST', path: '/tokens/mint' }, tries)
        judgeRejected(judge, rule, tries)
      })
    })
  },
}

/** A mint that is accepted although the administrator's is not. Passes nothing. */
function judgeServedToOthers(
  judge: Judge,
  rule: string,
  { granted, reply }: { granted: Minted; reply: Reply },
): void {
  const seen = `${reply.status}, and ${granted.reply.status} for the administrator`
  if (isSuccess(reply)) judge.fail(rule, seen, [granted.reply.evidence(), reply.evidence()])
}

/** An administrator's mint without a credential must be rejected with 401. Passes nothing. */
export async function judgeMintWithoutCredential(target: Target, judge: Judge, rule: string): Promise<void> {
  if (!target.profile.allow.mutations) return
  const admin = requireAdministrator(target)
  await withSession(target, admin, async (session) => {
    const owner = requireFullCredential(session)
    const { body } = await mintAny(target, { recipient: admin.address, credential: owner })
    const send = (by?: Credential) => request(target, mintSpec(body, by))
    await judgeWithoutCredential(target, judge, { rule, name: 'POST /tokens/mint', send, owner })
  })
}

type MintBody = { amm_token_program: string; amount: string; recipient: string }

/** `isDenied`: each token got 401 or 403. A single one may be about the token. */
type Minted = { body: MintBody; reply: Reply; isDenied: boolean }

/** Tries each token until a mint is accepted, as the API does not say which are wrappers; else returns a 401 or 403 if any. */
async function mintAny(
  target: Target,
  { recipient, credential }: { recipient: string; credential: Credential },
): Promise<Minted> {
  const { tokens } = target.profile.choices
  const list = requireChoice(tokens.list, 'the path of the token list')
  const path = requireChoice(tokens.ammTokenProgram, 'the program path of a token')
  const registry = await request(target, { method: 'GET', path: '/tokens' })
  const programs = (pickRows(registry.json, list) ?? []).map((row) => pickText(row, path))
  const refused: Omit<Minted, 'isDenied'>[] = []
  for (const program of [...new Set(programs)].filter((one) => one !== undefined).slice(0, PROGRAMS_MAX)) {
    const body = { amm_token_program: program, amount: AMOUNT, recipient }
    const reply = await postMint(target, body, credential)
    if (isSuccess(reply)) return { body, reply, isDenied: false }
    refused.push({ body, reply })
  }
  const denied = refused.filter(({ reply }) => isUnauthorized(reply))
  const shown = denied.at(-1) ?? refused[0]
  if (shown === undefined) throw new CannotJudge('no listed token has a program')
  return { ...shown, isDenied: denied.length === refused.length }
}

/** A session that can read referral codes is an administrator's: a persistent 401 or 403 to its mint is wrong. */
async function judgeUnauthorized(
  target: Target,
  judge: Judge,
  { body, reply, isDenied, credential }: Minted & { credential: Credential },
): Promise<void> {
  if (!isDenied) throw new CannotJudge(`no listed token could be minted: ${reply.evidence()}`)
  const { outcome, last, explanation } = await confirm({
    first: reply,
    describeError: (one) => (isUnauthorized(one) ? String(one.status) : undefined),
    again: () => postMint(target, body, credential),
    witness: async () => {
      const { status } = await readCodes(target, credential)
      return { served: status === 200, explanation: `GET /referral/codes -> ${status}` }
    },
  })
  if (outcome !== 'persistent') throw new CannotJudge(`no listed token could be minted: ${reply.evidence()}`)
  judge.fail('admin.mint.works', `the administrator is unauthorized: ${explanation}`, [last.evidence()])
}

function isUnauthorized({ status }: Reply): boolean {
  return status === 401 || status === 403
}

function judgeMint(judge: Judge, reply: Reply): void {
  const problems = check('mintResult', reply.json)
  const holds = reply.status === 200 && problems.length === 0
  judge.that('admin.mint.works', holds, `${reply.status} ${problems.join('; ')}`, [reply.evidence()])
}

/** In sequence: an accepted spelling is minted. A fraction may be canonical, as the API states no unit. */
async function judgeSpellings(
  target: Target,
  judge: Judge,
  { body, credential }: { body: MintBody; credential: Credential },
): Promise<void> {
  const rule = 'admin.mint.canonical'
  const spellings = notCanonical(AMOUNT).filter((spelling) => !spelling.includes('.'))
  for (const amount of spellings) {
    const reply = await postMint(target, { ...body, amount }, credential)
    if (isClientError(reply)) continue
    const evidence = [reply.evidence()]
    if (isSuccess(reply)) judge.fail(rule, `${JSON.stringify(amount)} is taken`, evidence)
    else judge.inconclusive(rule, 'neither accepted nor rejected', evidence)
    return
  }
  judge.pass(rule, `${spellings.length} spellings are rejected`)
}

/** Never resends a granted mint, not even to confirm an error. */
function postMint(target: Target, body: MintBody, credential: Credential): Promise<Reply> {
  return request(target, { ...mintSpec(body, credential), once: true })
}

function mintSpec(body: MintBody, credential: Credential | undefined): RequestSpec {
  return { method: 'POST', path: '/tokens/mint', body, credential }
}
