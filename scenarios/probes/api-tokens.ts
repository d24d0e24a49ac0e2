import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { check } from '../lib/check.ts'
import type { Judge } from '../lib/judge.ts'
import { pick, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/request.ts'
import { fullCredentialOf, withSession } from '../lib/session.ts'
import { walletFor } from '../lib/wallet.ts'

const PATH = '/api-tokens'

/** The life of an API token: created, used, kept out of its own management, revoked. */
export const apiTokens: Probe = {
  rules: [
    'api-token.create.record',
    'api-token.secret.once',
    'api-token.bearer.works',
    'api-token.bearer.ticket',
    'api-token.management.session-only',
    'api-token.revoke.record',
    'api-token.revoke.ends',
  ],
  world: 'main',
  run(target, judge) {
    return withSession(target, walletFor(target, 'apiTokens'), async (session) => {
      const credential = fullCredentialOf(session)
      const created = await createToken(target, judge, credential)
      const worked = (await readSwaps(target, { bearer: created.secret })).status === 200
      let revoked: Reply
      try {
        await judgeUse(target, judge, { ...created, session: credential })
      } finally {
        revoked = await revokeToken(target, credential, created.id)
      }
      await judgeRevoked(target, judge, { created, revoked, worked })
    })
  },
}

async function judgeRevoked(
  target: Target,
  judge: Judge,
  { created, revoked, worked }: { created: Created; revoked: Reply; worked: boolean },
): Promise<void> {
  const wrong = check('apiTokenRevoked', revoked.json)
  if (wrong.length === 0 && pickText(revoked.json, 'data.id') !== created.id) wrong.push('another id')
  if (wrong.length === 0 && pick(revoked.json, 'data.revoked') !== true) wrong.push('revoked is not true')
  const seen = `${revoked.status} ${wrong.join('; ')}`
  judge.that('api-token.revoke.record', isSuccess(revoked) && wrong.length === 0, seen, [revoked.evidence()])
  if (!worked) throw new CannotJudge('the token did not work before it was revoked')
  const after = await readSwaps(target, { bearer: created.secret })
  const told = `/swaps answered ${after.status} after the revocation`
  judge.that('api-token.revoke.ends', after.status === 401, told, [after.evidence()])
}

type Created = { id: string; secret: string }

async function createToken(target: Target, judge: Judge, credential: Credential): Promise<Created> {
  const body = { name: 'breakwater probe', expires_in_days: 1 }
  const reply = await request(target, { method: 'POST', path: PATH, credential, body })
  const [id, secret] = [pickText(reply.json, 'data.id'), pickText(reply.json, 'data.token')]
  if (isSuccess(reply)) {
    const problems = check('apiTokenCreated', reply.json)
    const seen = problems.join('; ') || 'fits'
    judge.that('api-token.create.record', problems.length === 0, seen, [reply.evidence()])
  }
  if (id !== undefined && secret !== undefined) return { id, secret }
  if (id !== undefined) await revokeToken(target, credential, id)
  throw new CannotJudge(`no API token to be had: ${reply.evidence()}`)
}

function revokeToken(target: Target, credential: Credential, id: string): Promise<Reply> {
  const path = `${PATH}/${encodeURIComponent(id)}`
  return request(target, { method: 'DELETE', path, route: `${PATH}/{id}`, credential })
}

async function judgeUse(
  target: Target,
  judge: Judge,
  token: Created & { session: Credential },
): Promise<void> {
  const bearer = { bearer: token.secret }
  const list = await request(target, { method: 'GET', path: PATH, credential: token.session })
  // The evidence is redacted, so the raw body is searched, and only the answer is told.
  const text = JSON.stringify(list.json ?? null)
  const listed = text.includes(token.secret)
  if (!listed && !text.includes(token.id))
    judge.inconclusive('api-token.secret.once', `the token is not listed: ${list.evidence()}`)
  const told = listed ? 'the list holds the secret' : 'the list does not hold it'
  judge.that('api-token.secret.once', !listed, told, [list.evidence()])

  const read = await readSwaps(target, bearer)
  judge.that('api-token.bearer.works', read.status === 200, `/swaps answered ${read.status}`, [
    read.evidence(),
  ])

  const reply = await request(target, { method: 'GET', path: '/auth/ws-ticket', credential: bearer })
  const path = target.profile.choices.wsTicket.ticket
  const ticket = pickText(reply.json, path)
  const given = isSuccess(reply) && ticket !== undefined
  const said = `${reply.status} ${ticket === undefined ? 'without' : 'with'} a ticket`
  if (isSuccess(reply) && path === null)
    judge.skip('api-token.bearer.ticket', 'the profile does not tell where a ticket lies')
  judge.that('api-token.bearer.ticket', given, said, [reply.evidence()])
  await judgeManagement(target, judge, { bearer, session: token.session })
}

async function judgeManagement(
  target: Target,
  judge: Judge,
  { bearer, session }: { bearer: Credential; session: Credential },
): Promise<void> {
  const tries = [
    await request(target, { method: 'GET', path: PATH, credential: bearer }),
    await request(target, {
      method: 'POST',
      path: PATH,
      credential: bearer,
      body: { name: 'not allowed', expires_in_days: 1 },
    }),
  ]
  const taken = tries.filter(({ status }) => status < 400)
  const statuses = tries.map(({ status }) => status).join(', ')
  const evidence = tries.map((one) => one.evidence())
  judge.that('api-token.management.session-only', taken.length === 0, statuses, evidence)
  // Where it was created after all, it does not stay.
  const id = pickText(tries[1]?.json, 'data.id')
  if (id !== undefined) await revokeToken(target, session, id)
}

function readSwaps(target: Target, credential: Credential): Promise<Reply> {
  return request(target, { method: 'GET', path: '/swaps', query: { limit: '1' }, credential })
}
