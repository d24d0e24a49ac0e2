import type { Target } from '../../contract/scenario-config.ts'
import {
  createdToken,
  listApiTokens,
  postApiToken,
  revokeApiToken,
  withBearer,
} from '../lib/identity/api-token.ts'
import { portfolioPaths, STATED_DATA_PATHS } from '../lib/market/data-paths.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { judgeRefused } from '../lib/probe/refusal.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'

/** What an API token opens, and what it does not. */
export const apiTokenUse: Probe = {
  rules: [
    'api-token.bearer.works',
    'api-token.bearer.ticket',
    'api-token.covers.data',
    'api-token.management.session-only',
  ],
  world: 'main',
  run(target, judge) {
    return withBearer(target, async (bearer) => {
      const read = await get(target, '/swaps', bearer)
      judge.that('api-token.bearer.works', read.status === 200, `/swaps answered ${read.status}`, [
        read.evidence(),
      ])
      await judgeTicket(target, judge, bearer)
      await judgeCover(target, judge, bearer)
      await judgeManagement(target, judge, bearer)
    })
  },
}

async function judgeTicket(target: Target, judge: Judge, bearer: Credential): Promise<void> {
  const rule = 'api-token.bearer.ticket'
  const reply = await get(target, '/auth/ws-ticket', bearer)
  const path = target.profile.choices.wsTicket.ticket
  const ticket = pickText(reply.json, path)
  const said = `${reply.status} ${ticket === undefined ? 'without' : 'with'} a ticket`
  if (isSuccess(reply) && path === null) judge.skip(rule, 'the profile does not tell where a ticket lies')
  judge.that(rule, isSuccess(reply) && ticket !== undefined, said, [reply.evidence()])
}

/** Whatever else they answer: a token that opens one of them opens them all. */
async function judgeCover(target: Target, judge: Judge, bearer: Credential): Promise<void> {
  const replies: Reply[] = []
  const paths = [...STATED_DATA_PATHS, ...portfolioPaths(target.profile)]
  for (const path of paths) replies.push(await get(target, path, bearer))
  const route = await readRoute(target, bearer)
  if (route) replies.push(route)
  const refused = replies.filter(({ status }) => status === 401 || status === 403)
  const seen = `${refused.length} of ${replies.length} endpoints refuse the token`
  judge.that(
    'api-token.covers.data',
    refused.length === 0,
    seen,
    refused.map((reply) => reply.evidence()),
  )
}

/** Between two tokens of the registry; whether there is a route is another matter. */
async function readRoute(target: Target, credential: Credential): Promise<Reply | undefined> {
  const { list, id } = target.profile.choices.tokens
  const registry = await request(target, { method: 'GET', path: '/tokens' })
  const [tokenIn, tokenOut] = (pickRows(registry.json, list) ?? []).map((row) => pickText(row, id))
  if (tokenIn === undefined || tokenOut === undefined) return undefined
  const query = { token_in: tokenIn, token_out: tokenOut, amount_in: '1000' }
  return request(target, { method: 'GET', path: '/route', query, credential })
}

async function judgeManagement(target: Target, judge: Judge, bearer: Credential): Promise<void> {
  const tries = [await listApiTokens(target, bearer), await postApiToken(target, bearer)]
  judgeRefused(judge, 'api-token.management.session-only', tries)
  // Where it was made after all, it does not stay: what made it may end it.
  const made = tries[1] && (await createdToken(target, tries[1], bearer))
  if (made) await revokeApiToken(target, { id: made.id, credential: bearer })
}

function get(target: Target, path: string, credential: Credential): Promise<Reply> {
  const query = path === '/swaps' ? { limit: '1' } : {}
  return request(target, { method: 'GET', path, query, credential })
}
