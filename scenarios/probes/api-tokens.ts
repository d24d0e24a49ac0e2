import type { Target } from '../../contract/scenario-config.ts'
import { confirmMissing } from '../lib/confirm/confirm-missing.ts'
import {
  type ApiToken,
  createdToken,
  listApiTokens,
  postApiToken,
  revokeApiToken,
} from '../lib/identity/api-token.ts'
import {
  type credentialOf,
  credentialRead,
  fullCredentialOf,
  isAlive,
  withSession,
} from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { judgeRefused } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import { check } from '../lib/verdict/check.ts'
import type { Judge } from '../lib/verdict/judge.ts'

type SessionCredential = ReturnType<typeof credentialOf>

/** The life of an API token: created, listed, revoked. */
export const apiTokens: Probe = {
  rules: [
    'api-token.create.record',
    'api-token.create.needs-csrf',
    'api-token.secret.once',
    'api-token.list.shows',
    'api-token.revoke.record',
    'api-token.revoke.ends',
  ],
  world: 'main',
  run(target, judge) {
    return withSession(target, walletFor(target, 'apiTokens'), async (session) => {
      const credential = fullCredentialOf(session)
      // A list that is kept would leave out what comes after it.
      await listApiTokens(target, credential)
      const reply = await postApiToken(target, credential)
      judgeRecord(judge, reply)
      const created = await createdToken(target, reply, credential)
      if (!created) throw new CannotJudge(`no API token to be had: ${reply.evidence()}`)
      const worked = (await readSwaps(target, created)).status === 200
      let revoked: Reply
      try {
        await judgeList(target, judge, { token: created, credential })
      } finally {
        revoked = await revokeApiToken(target, { id: created.id, credential })
      }
      await judgeCsrf(target, judge, credential)
      await judgeRevoked(target, judge, { created, revoked, worked })
    })
  },
}

function judgeRecord(judge: Judge, reply: Reply): void {
  if (!isSuccess(reply)) return
  const problems = check('apiTokenCreated', reply.json)
  const seen = problems.join('; ') || 'fits'
  judge.that('api-token.create.record', problems.length === 0, seen, [reply.evidence()])
}

/**
 * Twice: before each, one was made with the header, and has made room again: nothing but the header is amiss.
 */
async function judgeCsrf(target: Target, judge: Judge, credential: SessionCredential): Promise<void> {
  const make = async (by: SessionCredential): Promise<Reply> => {
    const reply = await postApiToken(target, by)
    const made = await createdToken(target, reply, credential)
    if (made) await revokeApiToken(target, { id: made.id, credential })
    return reply
  }
  const without = { ...credential, csrf: undefined }
  const first = await make(without)
  await make(credential)
  judgeRefused(judge, 'api-token.create.needs-csrf', [first, await make(without)])
}

async function judgeList(
  target: Target,
  judge: Judge,
  { token, credential }: { token: ApiToken; credential: SessionCredential },
): Promise<void> {
  const first = await listApiTokens(target, credential)
  // The evidence is redacted, so the raw body is searched, and only the answer is told.
  const text = JSON.stringify(first.json ?? null)
  const holdsSecret = text.includes(token.bearer.bearer)
  if (!holdsSecret && !text.includes(token.id))
    judge.inconclusive('api-token.secret.once', `the token is not listed: ${first.evidence()}`)
  const told = holdsSecret ? 'the list holds the secret' : 'the list does not hold it'
  judge.that('api-token.secret.once', !holdsSecret, told, [first.evidence()])

  const rule = 'api-token.list.shows'
  const { list, id } = target.profile.choices.apiTokens
  if (list === null || id === null)
    judge.skip(rule, 'the profile does not tell where tokens are listed', 'choice')
  const idsOf = (reply: Reply) => pickRows(reply.json, list)?.map((row) => pickText(row, id))
  let ids = idsOf(first)
  let evidence = [first.evidence()]
  if (ids === undefined || ids.includes(undefined))
    return judge.inconclusive(rule, `no list of tokens with ids at ${list} and ${id}`, evidence)
  const { looked, told: tries } = await confirmMissing({
    look: async () => {
      const listed = await listApiTokens(target, credential)
      ids = idsOf(listed)
      evidence = [listed.evidence()]
      return ids?.includes(token.id) === false ? 'missing' : 'found'
    },
    isListed: async () => (await isAlive(target, token.bearer)).alive,
  })
  if (looked === 'missing')
    judge.fail(rule, `not among the ${ids?.length} that are listed: ${tries}`, evidence)
  else if (ids?.includes(token.id)) judge.pass(rule, 'listed', evidence)
  else judge.inconclusive(rule, `not listed at first: ${tries}`, evidence)
}

async function judgeRevoked(
  target: Target,
  judge: Judge,
  { created, revoked, worked }: { created: ApiToken; revoked: Reply; worked: boolean },
): Promise<void> {
  const wrong = check('apiTokenRevoked', revoked.json)
  if (wrong.length === 0 && pickText(revoked.json, 'data.id') !== created.id) wrong.push('another id')
  if (wrong.length === 0 && pick(revoked.json, 'data.revoked') !== true) wrong.push('revoked is not true')
  const seen = `${revoked.status} ${wrong.join('; ')}`
  judge.that('api-token.revoke.record', isSuccess(revoked) && wrong.length === 0, seen, [revoked.evidence()])
  if (!worked) throw new CannotJudge('the token did not work before it was revoked')
  const after = await readSwaps(target, created)
  const told = `a read answered ${after.status} after the revocation`
  judge.that('api-token.revoke.ends', after.status === 401, told, [after.evidence()])
}

/** A read that takes a credential, with the API token: it tells whether the token is good. */
export function readSwaps(target: Target, { bearer }: Pick<ApiToken, 'bearer'>): Promise<Reply> {
  return request(target, credentialRead(target, bearer))
}
