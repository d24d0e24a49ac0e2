import type { Target } from '../../contract/scenario-config.ts'
import { withApiToken } from '../lib/identity/api-token.ts'
import { readCodes } from '../lib/identity/referral-codes.ts'
import { fullCredentialOf, withSession } from '../lib/identity/session.ts'
import { administratorOf, walletFor } from '../lib/identity/wallet.ts'
import { notCanonical } from '../lib/market/routes.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isRefusal, judgeRefused } from '../lib/requests/refusal.ts'
import { type Credential, isSuccess, type Reply, type RequestSpec, request } from '../lib/requests/request.ts'
import { CannotJudge, mustAllowMutations, told } from '../lib/verdict/cannot.ts'
import { check } from '../lib/verdict/check.ts'
import type { Judge } from '../lib/verdict/judge.ts'

/** Digits enough to be parted, few enough to matter to nobody. */
const AMOUNT = '1000'
const PROGRAMS_MAX = 20

/** A mint as the administrator, then the same in other spellings, by API token, and by another wallet. */
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
    const admin = administratorOf(target)
    await withSession(target, admin, async (session) => {
      const credential = fullCredentialOf(session)
      const granted = await mintAny(target, { recipient: admin.address, credential })
      if (!isSuccess(granted.reply)) return judgeUnauthorized(target, judge, { ...granted, credential })
      judgeMint(judge, granted.reply)
      await judgeSpellings(target, judge, { body: granted.body, credential })
      /** Twice, with one in between that is granted. */
      const tryTwice = async (by: Credential) => {
        const tried = () => request(target, mintSpec(granted.body, by))
        const first = await tried()
        await postMint(target, granted.body, credential)
        return [first, await tried()]
      }
      await withApiToken(target, credential, async ({ bearer }) => {
        judgeRefused(judge, 'admin.mint.session-only', await tryTwice(bearer))
      })
      await withSession(target, walletFor(target, 'referral'), async (other) => {
        judgeRefused(judge, 'admin.mint.refused-to-others', await tryTwice(fullCredentialOf(other)))
      })
    })
  },
}

type MintBody = { amm_token_program: string; amount: string; recipient: string }

/** Which listed tokens are wrappers is not stated: returns the first mint that is taken, else one with a 401 or 403 if any. */
async function mintAny(
  target: Target,
  { recipient, credential }: { recipient: string; credential: Credential },
): Promise<{ body: MintBody; reply: Reply }> {
  const { tokens } = target.profile.choices
  const list = told(tokens.list, 'where the tokens are listed')
  const path = told(tokens.ammTokenProgram, 'where a token has its program')
  const registry = await request(target, { method: 'GET', path: '/tokens' })
  const programs = (pickRows(registry.json, list) ?? []).map((row) => pickText(row, path))
  let refused: { body: MintBody; reply: Reply } | undefined
  for (const program of [...new Set(programs)].filter((one) => one !== undefined).slice(0, PROGRAMS_MAX)) {
    const body = { amm_token_program: program, amount: AMOUNT, recipient }
    const reply = await postMint(target, body, credential)
    if (isSuccess(reply)) return { body, reply }
    if (refused === undefined || isUnauthorized(reply)) refused = { body, reply }
  }
  if (refused === undefined) throw new CannotJudge('no token has a program')
  return refused
}

/** A session that reads the referral codes is an administrator's: a 401 or 403 to its mint that persists is wrong. */
async function judgeUnauthorized(
  target: Target,
  judge: Judge,
  { body, reply, credential }: { body: MintBody; reply: Reply; credential: Credential },
): Promise<void> {
  const { outcome, last, told } = await confirm({
    first: reply,
    errorOf: (one) => (isUnauthorized(one) ? String(one.status) : undefined),
    again: () => postMint(target, body, credential),
    witness: async () => {
      const { status } = await readCodes(target, credential)
      return { served: status === 200, told: `GET /referral/codes -> ${status}` }
    },
  })
  if (outcome !== 'persistent')
    throw new CannotJudge(`none of the listed tokens was minted: ${reply.evidence()}`)
  judge.fail('admin.mint.works', `the administrator is refused: ${told}`, [last.evidence()])
}

function isUnauthorized({ status }: Reply): boolean {
  return status === 401 || status === 403
}

function judgeMint(judge: Judge, reply: Reply): void {
  const problems = check('mintResult', reply.json)
  const holds = reply.status === 200 && problems.length === 0
  judge.that('admin.mint.works', holds, `${reply.status} ${problems.join('; ')}`, [reply.evidence()])
}

/** One after another: what is taken is minted. A fraction may be canonical here, as no unit of the amount is stated. */
async function judgeSpellings(
  target: Target,
  judge: Judge,
  { body, credential }: { body: MintBody; credential: Credential },
): Promise<void> {
  const rule = 'admin.mint.canonical'
  const spellings = notCanonical(AMOUNT).filter((spelling) => !spelling.includes('.'))
  for (const amount of spellings) {
    const reply = await postMint(target, { ...body, amount }, credential)
    if (isRefusal(reply)) continue
    const evidence = [reply.evidence()]
    if (isSuccess(reply)) judge.fail(rule, `${JSON.stringify(amount)} is taken`, evidence)
    else judge.inconclusive(rule, 'neither taken nor refused', evidence)
    return
  }
  judge.pass(rule, `${spellings.length} spellings are refused`)
}

/** A mint that is granted is not sent again, even to see if an error persists. */
function postMint(target: Target, body: MintBody, credential: Credential): Promise<Reply> {
  return request(target, { ...mintSpec(body, credential), once: true })
}

function mintSpec(body: MintBody, credential: Credential): RequestSpec {
  return { method: 'POST', path: '/tokens/mint', body, credential }
}
