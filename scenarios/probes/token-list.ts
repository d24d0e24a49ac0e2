import type { Target } from '../../contract/scenario-config.ts'
import { type ApiToken, listApiTokens } from '../lib/identity/api-token.ts'
import { isAlive, requireFullCredential, type Session } from '../lib/identity/session.ts'
import { isTokenPrefix, revealsSecret } from '../lib/identity/token-text.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { confirmMissing } from '../lib/requests/confirm.ts'
import { isSuccess, type Reply } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { judgeServed } from './session-checks.ts'

const SHOWS = 'api-token.list.shows'

function listIds(target: Target, reply: Reply): (string | undefined)[] | undefined {
  const { list, id } = target.profile.choices.apiTokens
  return pickRows(reply.json, list)?.map((row) => pickText(row, id))
}

/** The list has the new token, and not its secret. */
export async function judgeList(
  target: Target,
  judge: Judge,
  { token, session }: { token: ApiToken; session: Session },
): Promise<void> {
  const credential = requireFullCredential(session)
  const first = await listApiTokens(target, credential)
  // Evidence is redacted, so search the raw body and report only the result.
  const text = JSON.stringify(first.json ?? null)
  const holdsSecret = revealsSecret(text, token.bearer.bearer)
  if (!holdsSecret && !text.includes(token.id))
    judge.inconclusive('api-token.secret.once', `the token is not in the list: ${first.evidence()}`)
  const explanation = holdsSecret
    ? 'the list contains the secret, or more than half of it'
    : 'the list does not contain the secret'
  judge.that('api-token.secret.once', !holdsSecret, explanation, [first.evidence()])

  if (!isSuccess(first)) await judgeServed(target, judge, { rule: SHOWS, path: '/api-tokens', session })
  const rule = SHOWS
  const { list, id } = target.profile.choices.apiTokens
  if (list === null || id === null)
    judge.skip(rule, 'the profile does not state the path of the token list', 'choice')
  let ids = listIds(target, first)
  let evidence = [first.evidence()]
  if (ids === undefined || ids.includes(undefined))
    return judge.inconclusive(rule, `no list of tokens with ids at ${list} and ${id}`, evidence)
  const { state, explanation: tries } = await confirmMissing({
    check: async () => {
      const listed = await listApiTokens(target, credential)
      ids = listIds(target, listed)
      evidence = [listed.evidence()]
      return ids?.includes(token.id) === false ? 'missing' : 'found'
    },
    isListed: async () => (await isAlive(target, token.bearer)).alive,
  })
  const row = pickRows(first.json, list)?.find((one) => pickText(one, id) === token.id)
  const prefix = pickText(row, 'token_prefix')
  if (prefix !== undefined && !isTokenPrefix(token.bearer.bearer, prefix))
    judge.fail(rule, 'its token_prefix in the list is not a prefix of the token', [first.evidence()])
  if (state === 'missing') judge.fail(rule, `not among the ${ids?.length} listed tokens: ${tries}`, evidence)
  else if (ids?.includes(token.id)) judge.pass(rule, 'listed', evidence)
  else judge.inconclusive(rule, `missing from the list at first: ${tries}`, evidence)
}

/**
 * The list is that of the wallet: fails the rule if a token stays missing for another session while the one that created it lists
 * it. Passes nothing.
 */
export async function judgeListedToAnother(
  target: Target,
  judge: Judge,
  { token, maker, another }: { token: Pick<ApiToken, 'id'>; maker: Session; another: Session },
): Promise<void> {
  let evidence: string[] = []
  const read = async (session: Session) => {
    const reply = await listApiTokens(target, requireFullCredential(session))
    evidence = [reply.evidence()]
    return listIds(target, reply)
  }
  const { state, explanation } = await confirmMissing({
    isListed: async () => (await read(maker))?.includes(token.id) === true,
    async check() {
      const ids = (await read(another)) ?? [undefined]
      return ids.includes(undefined) || ids.includes(token.id) ? 'found' : 'missing'
    },
  })
  const seen = `another session of the wallet does not list a token: ${explanation}`
  if (state === 'missing') judge.fail(SHOWS, seen, evidence)
}
