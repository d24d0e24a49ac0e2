import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { check } from '../lib/check.ts'
import type { Judge } from '../lib/judge.ts'
import { pick, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { redactor } from '../lib/redact.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/request.ts'
import { credentialOf, withSession } from '../lib/session.ts'
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
      const credential = credentialOf(session)
      const created = await createToken(target, credential)
      let revoked: Reply
      try {
        const problems = check('apiTokenCreated', created.reply.json)
        const seen = problems.join('; ') || 'fits'
        judge.that('api-token.create.record', problems.length === 0, seen, [created.reply.evidence()])
        await judgeUse(target, judge, { ...created, session: credential })
      } finally {
        const path = `${PATH}/${encodeURIComponent(created.id)}`
        revoked = await request(target, { method: 'DELETE', path, route: `${PATH}/{id}`, credential })
      }
      await judgeRevoked(target, judge, { created, revoked })
    })
  },
}

async function judgeRevoked(
  target: Target,
  judge: Judge,
  { created, revoked }: { created: Created; revoked: Reply },
): Promise<void> {
  const wrong = check('apiTokenRevoked', revoked.json)
  if (wrong.length === 0 && pickText(revoked.json, 'data.id') !== created.id) wrong.push('another id')
  if (wrong.length === 0 && pick(revoked.json, 'data.revoked') !== true) wrong.push('revoked is not true')
  const seen = `${revoked.status} ${wrong.join('; ')}`
  judge.that('api-token.revoke.record', isSuccess(revoked) && wrong.length === 0, seen, [revoked.evidence()])
  const after = await readSwaps(target, { bearer: created.secret })
  const told = `/swaps answered ${after.status} after the revocation`
  judge.that('api-token.revoke.ends', after.status === 401, told, [after.evidence()])
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
  const taken = tries.filter(({ status }) => status < 400)
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
