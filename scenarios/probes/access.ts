import type { Target } from '../../contract/scenario-config.ts'
import { challenge, credentialOf, endSession, startSession, verify } from '../lib/identity/session.ts'
import { portfolioPaths, STATED_DATA_PATHS } from '../lib/market/data-paths.ts'
import { CannotProbe } from '../lib/probe/cannot.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'

const PORTFOLIO = 'auth.credentials.portfolio-401'
/** What is read without credentials, by the access that it asks for. */
const CLOSED = {
  'auth.credentials.missing-401': STATED_DATA_PATHS,
  'auth.credentials.session-401': ['/auth/sessions', '/api-tokens'],
  'auth.credentials.admin-401': ['/referral/codes'],
}

/** Who is turned away, and with what. */
export const access: Probe = {
  rules: [...Object.keys(CLOSED), PORTFOLIO, 'auth.credentials.invalid-401', 'auth.access.denied-403'],
  world: 'main',
  async run(target, judge) {
    const portfolio = portfolioPaths(target.profile)
    if (portfolio.length === 0) judge.skip(PORTFOLIO, 'the profile tells no path of positions or balances')
    for (const [rule, paths] of Object.entries({ ...CLOSED, [PORTFOLIO]: portfolio })) {
      const answers: Reply[] = []
      for (const path of paths) answers.push(await request(target, { method: 'GET', path }))
      judge401(judge, rule, answers)
    }
    await judgeInvalid(target, judge)
    await judgeDenied(target, judge)
  },
}

async function judgeInvalid(target: Target, judge: Judge): Promise<void> {
  const { access } = target.profile.choices.cookies
  const madeUp: Credential[] = [
    { bearer: 'ss_this-token-was-never-issued-by-anyone' },
    ...(access === null
      ? []
      : [{ cookie: `${access}=this-session-was-never-started-by-anyone`, csrf: undefined }]),
  ]
  const answers: Reply[] = []
  for (const credential of madeUp)
    answers.push(await request(target, { method: 'GET', path: '/swaps', credential }))
  judge401(judge, 'auth.credentials.invalid-401', answers)
}

/** A path that is not there, or a redirect, says nothing of credentials. */
function judge401(judge: Judge, rule: string, answers: readonly Reply[]): void {
  const others = answers.filter(({ status }) => status !== 401)
  const wrong = others.filter(({ status }) => isSuccess({ status }) || (status >= 400 && status !== 404))
  const evidence = (wrong.length > 0 ? wrong : others).map((reply) => reply.evidence())
  const statuses = answers.map(({ status }) => status).join(', ')
  if (wrong.length > 0) judge.fail(rule, statuses, evidence)
  else if (others.length > 0) judge.inconclusive(rule, `neither served nor refused: ${statuses}`, evidence)
  else judge.pass(rule, statuses)
}

async function judgeDenied(target: Target, judge: Judge): Promise<void> {
  const rule = 'auth.access.denied-403'
  const wallet = target.wallets.find(({ hasAccess }) => !hasAccess)
  if (!wallet) throw new CannotProbe('the profile names no wallet without access')
  const verified = await verify(target, wallet, await challenge(target, wallet))
  if (!isSuccess(verified)) {
    const evidence = [verified.evidence()]
    if (verified.status === 403) judge.pass(rule, 'verify answered 403', evidence)
    else judge.inconclusive(rule, 'refused at verify, which may be for the signature', evidence)
    return
  }
  const session = startSession(target, { wallet, verified })
  const read = await request(target, { method: 'GET', path: '/swaps', credential: credentialOf(session) })
  await endSession(target, session)
  judge.that(rule, read.status === 403, `signed in, and /swaps answered ${read.status}`, [read.evidence()])
}
