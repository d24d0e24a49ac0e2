import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { check } from '../lib/check.ts'
import type { Judge } from '../lib/judge.ts'
import { pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { redactor } from '../lib/redact.ts'
import { type Credential, type Reply, request } from '../lib/request.ts'
import { credentialOf, endSession, signIn } from '../lib/session.ts'
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
  async run(target, judge) {
    const session = await signIn(target, walletFor(target, 'apiTokens'))
    const credential = credentialOf(session)
    const created = await createToken(target, credential)
    const problems = check('apiTokenCreated', created.reply.json)
    judge.that('api-token.create.record', problems.length === 0, problems.join('; ') || 'fits', [
      created.reply.evidence(),
    ])
    await judgeUse(target, judge, { ...created, session: credential })

    const path = `${PATH}/${encodeURIComponent(created.id)}`
    const revoked = await request(target, { method: 'DELETE', path, route: `${PATH}/{id}`, credential })
    const wrong = check('apiTokenRevoked', revoked.json)
    if (revoked.json !== undefined && pickText(revoked.json, 'data.id') !== created.id)
      wrong.push('another id')
    if ((revoked.json as { data?: { revoked?: unknown } })?.data?.revoked !== true)
      wrong.push('revoked is not true')
    judge.that('api-token.revoke.record', wrong.length === 0, `${revoked.status} ${wrong.join('; ')}`, [
      revoked.evidence(),
    ])
    const after = await readSwaps(target, { bearer: created.secret })
    judge.that(
      'api-token.revoke.ends',
      after.status === 401,
      `/swaps answered ${after.status} after the revocation`,
      [after.evidence()],
    )
    await endSession(target, session)
  },
}

type Created = { id: string; secret: string; reply: Reply }

async function createToken(target: Target, credential: Credential): Promise<Created> {
  const body = { name: 'breakwater probe', expires_in_days: 1 }
  const reply = await request(target, { method: 'POST', path: PATH, credential, body })
  const [id, secret] = [pickText(reply.json, 'data.id'), pickText(reply.json, 'data.token')]
  redactor.add(secret)
  if (id === undefined || secret === undefined)
    throw new CannotJudge(`no API token to be had: ${reply.evidence()}`)
  return { id, secret, reply }
}

async function judgeUse(
  target: Target,
  judge: Judge,
  token: Created & { session: Credential },
): Promise<void> {
  const bearer = { bearer: token.secret }
  const list = await request(target, { method: 'GET', path: PATH, credential: token.session })
  // The evidence is redacted, so the raw body is searched, and only the answer is told.
  const listed = JSON.stringify(list.json ?? null).includes(token.secret)
  if (list.status !== 200) judge.inconclusive('api-token.secret.once', `no list: ${list.evidence()}`)
  judge.that(
    'api-token.secret.once',
    !listed,
    listed ? 'the list holds the secret' : 'the list does not hold it',
    [list.evidence()],
  )

  const read = await readSwaps(target, bearer)
  judge.that('api-token.bearer.works', read.status === 200, `/swaps answered ${read.status}`, [
    read.evidence(),
  ])

  const ticketReply = await request(target, { method: 'GET', path: '/auth/ws-ticket', credential: bearer })
  const ticket = pickText(ticketReply.json, target.profile.choices.wsTicket.ticket)
  redactor.add(ticket)
  judge.that('api-token.bearer.ticket', ticketReply.status === 200, `${ticketReply.status}`, [
    ticketReply.evidence(),
  ])

  const tries = [
    await request(target, { method: 'GET', path: PATH, credential: bearer }),
    await request(target, {
      method: 'POST',
      path: PATH,
      credential: bearer,
      body: { name: 'not allowed', expires_in_days: 1 },
    }),
  ]
  const taken = tries.filter(({ status }) => status !== 401 && status !== 403)
  judge.that(
    'api-token.management.session-only',
    taken.length === 0,
    tries.map(({ status }) => status).join(', '),
    tries.map((reply) => reply.evidence()),
  )
}

function readSwaps(target: Target, credential: Credential): Promise<Reply> {
  return request(target, { method: 'GET', path: '/swaps', query: { limit: '1' }, credential })
}
