import type { Target } from '../../contract/scenario-config.ts'
import {
  createdToken,
  listApiTokens,
  type MadeToken,
  postApiToken,
  revokeApiToken,
  withApiToken,
  withBearer,
} from '../lib/identity/api-token.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { getCredential, isAlive, requireFullCredential } from '../lib/identity/session.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { judgeRowsByToken } from '../lib/market/rows-by-token.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isClientError, judgeRejected } from '../lib/requests/refusal.ts'
import { type Credential, isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { holdPasses, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { portfolioPaths, STATED_DATA_PATHS } from './data-paths.ts'

const MANAGEMENT = 'api-token.management.session-only'

export const apiTokenUse: Probe = {
  rules: ['api-token.bearer.works', 'api-token.bearer.ticket', 'api-token.covers.data', MANAGEMENT],
  world: 'main',
  run(target, judge) {
    return withBearer(target, { use: 'apiTokens', prefer: 'made' }, async (bearer, mine) => {
      const read = await get(target, '/swaps', bearer)
      // An error of /swaps alone says nothing about a token that another read accepts.
      const works = read.status === 200 || (!isRefused(read) && (await isAlive(target, bearer)).alive)
      if (!works) judge.fail('api-token.bearer.works', `/swaps returned ${read.status}`, [read.evidence()])
      await judgeTicket(target, judge, bearer)
      const { held, release } = holdPasses(judge)
      try {
        await judgeAgain(target, held, { bearer, mine })
        await judgeCover(target, held, { bearer, mine })
        await judgeRows(target, judge, { bearer, mine })
        await unlessCannot(() => judgeBesideAnother(target, judge, { bearer, mine }))
      } finally {
        release()
      }
      await judgeManagement(target, judge, { bearer, mine })
    })
  },
}

type Use = { bearer: Credential; mine: MadeToken | undefined }

/** Reads again after the token was used elsewhere. The witness is its session, or another read credential. */
async function judgeAgain(target: Target, judge: Judge, { bearer, mine }: Use): Promise<void> {
  const rule = 'api-token.bearer.works'
  const witness = mine ? getCredential(mine.session) : await readCredential(target)
  const again = await isStillServed(target, bearer, { witness })
  const evidence = [again.reply.evidence()]
  if (again.outcome === 'served') judge.pass(rule, 'served every time', evidence)
  else if (again.outcome === 'refused')
    judge.fail(rule, `served once, then rejected: ${again.explanation}`, evidence)
  else judge.inconclusive(rule, `served once: ${again.explanation}`, evidence)
}

/** The token must work on while its session has another one, if it can make one. */
async function judgeBesideAnother(target: Target, judge: Judge, { bearer, mine }: Use): Promise<void> {
  if (mine === undefined || !(await isAlive(target, bearer)).alive) return
  await withApiToken(target, requireFullCredential(mine.session), async (other) => {
    const beside = await isStillServed(target, bearer, { witness: other.bearer })
    const seen = `rejected once its session has another token: ${beside.explanation}`
    if (beside.outcome === 'refused') judge.fail('api-token.bearer.works', seen, [beside.reply.evidence()])
  })
}

async function judgeTicket(target: Target, judge: Judge, bearer: Credential): Promise<void> {
  const rule = 'api-token.bearer.ticket'
  const reply = await get(target, '/auth/ws-ticket', bearer)
  const path = target.profile.choices.wsTicket.ticket
  const ticket = pickText(reply.json, path)
  const said = `${reply.status} ${ticket === undefined ? 'without' : 'with'} a ticket`
  if (isSuccess(reply) && path === null)
    judge.skip(rule, 'the profile does not state the path of a ticket', 'choice')
  judge.that(rule, isSuccess(reply) && ticket !== undefined, said, [reply.evidence()])
}

/** A token that opens one endpoint opens all of them. A 5xx counts only if a session gets none. */
async function judgeCover(target: Target, judge: Judge, { bearer, mine }: Use): Promise<void> {
  const rule = 'api-token.covers.data'
  const refused: Reply[] = []
  const unclear: Reply[] = []
  const paths = [...STATED_DATA_PATHS, ...portfolioPaths(target.profile)]
  for (const path of paths) {
    const reply = await get(target, path, bearer)
    if (isRefused(reply)) refused.push(reply)
    if (!isError(reply)) continue
    const isServed = mine !== undefined && isSuccess(await get(target, path, getCredential(mine.session)))
    const list = isServed ? refused : unclear
    list.push(reply)
  }
  const route = await readRoute(target, bearer)
  if (route && isRefused(route)) refused.push(route)
  const seen = `${refused.length} of ${paths.length + 1} endpoints reject the token`
  if (refused.length === 0 && unclear.length > 0)
    judge.inconclusive(rule, 'neither served nor rejected', listEvidence(unclear))
  judge.that(rule, refused.length === 0, seen, listEvidence(refused))
}

/** The token of a profile may be another wallet's, so only one that the session made is compared. */
async function judgeRows(target: Target, judge: Judge, { bearer, mine }: Use): Promise<void> {
  if (mine === undefined) return
  const session = getCredential(mine.session)
  await judgeRowsByToken(target, judge, { rule: 'api-token.covers.data', session, bearer })
}

function isRefused({ status }: Reply): boolean {
  return status === 401 || status === 403
}

function listEvidence(replies: readonly Reply[]): string[] {
  return replies.map((reply) => reply.evidence())
}

async function readRoute(target: Target, credential: Credential): Promise<Reply | undefined> {
  const { list, id } = target.profile.choices.tokens
  const registry = await request(target, { method: 'GET', path: '/tokens' })
  const [tokenIn, tokenOut] = (pickRows(registry.json, list) ?? []).map((row) => pickText(row, id))
  if (tokenIn === undefined || tokenOut === undefined) return undefined
  const query = { token_in: tokenIn, token_out: tokenOut, amount_in: '1000' }
  return request(target, { method: 'GET', path: '/route', query, credential })
}

/** Stops at the first accepted call. The token's own id goes last, as its revocation ends the token. */
async function judgeManagement(target: Target, judge: Judge, { bearer, mine }: Use): Promise<void> {
  const tries = [await listApiTokens(target, bearer)]
  if (mine !== undefined && tries.every(isClientError)) {
    await listApiTokens(target, getCredential(mine.session))
    tries.push(await listApiTokens(target, bearer))
  }
  if (tries.every(isClientError)) {
    const posted = await postApiToken(target, bearer)
    tries.push(posted)
    // Clean up a token that was created anyway: its creator may revoke it.
    const made = await createdToken(target, posted, bearer)
    if (made) await revokeApiToken(target, { id: made.id, credential: bearer })
  }
  if (mine !== undefined && tries.every(isClientError)) {
    const owner = requireFullCredential(mine.session)
    const other = await createdToken(target, await postApiToken(target, owner), owner)
    if (other) {
      const works = (await isAlive(target, other.bearer)).alive
      const revoked = await revokeApiToken(target, { id: other.id, credential: bearer })
      tries.push(revoked)
      if (works) await judgeKept(target, judge, { revoked, token: other.bearer, witness: owner })
      await revokeApiToken(target, { id: other.id, credential: owner })
    }
    if (tries.every(isClientError)) {
      const revoked = await revokeApiToken(target, { id: mine.id, credential: bearer })
      tries.push(revoked)
      await judgeKept(target, judge, { revoked, token: bearer, witness: owner })
    }
  }
  judgeRejected(judge, MANAGEMENT, tries)
}

type Kept = { revoked: Reply; token: Credential; witness: Credential }

/** A rejected revocation must not end the token. Passes nothing. */
async function judgeKept(target: Target, judge: Judge, { revoked, token, witness }: Kept): Promise<void> {
  if (!isClientError(revoked)) return
  const { outcome, reply, explanation } = await isStillServed(target, token, { witness })
  const seen = `a revocation by an API token returned ${revoked.status}, but the token has ended: ${explanation}`
  if (outcome === 'refused') judge.fail(MANAGEMENT, seen, [revoked.evidence(), reply.evidence()])
}

function get(target: Target, path: string, credential: Credential): Promise<Reply> {
  const query = path === '/swaps' ? { limit: '1' } : {}
  return request(target, { method: 'GET', path, query, credential })
}
