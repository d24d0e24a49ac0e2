import type { Target } from '../../contract/scenario-config.ts'
import {
  type ApiToken,
  createdToken,
  listApiTokens,
  postApiToken,
  revokeApiToken,
  withApiToken,
} from '../lib/identity/api-token.ts'
import { credentialRead, type getCredential, isAlive } from '../lib/identity/session.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { check } from '../lib/verdict/check.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

const RULE = 'api-token.revoke.ends'

type SessionCredential = ReturnType<typeof getCredential>
type Lived = { token: ApiToken; how: string; credential: SessionCredential }

/** No lifetime, which a server may compare as one that has passed, and 30 days, whose milliseconds exceed 32 bits. */
const LIFETIMES = [null, 30] as const

/**
 * A token with another lifetime than one day works until it is revoked. A rejected creation is correct too: the specification does
 * not state which lifetimes are allowed.
 */
export async function judgeLifetimes(
  target: Target,
  judge: Judge,
  credential: SessionCredential,
): Promise<void> {
  for (const days of LIFETIMES)
    await unlessCannot(async () => {
      const reply = await postApiToken(target, credential, { days })
      judgeRecord(judge, reply)
      const token = await createdToken(target, reply, credential)
      const how = days === null ? 'without an expiry' : `for ${days} days`
      if (token) await judgeLifetime(target, judge, { token, how, credential })
    })
}

async function judgeLifetime(target: Target, judge: Judge, lived: Lived): Promise<void> {
  const { token, how, credential } = lived
  let isWorking = false
  let revoked: Reply
  try {
    isWorking = await judgeWorks(target, judge, lived)
  } finally {
    revoked = await revokeApiToken(target, { id: token.id, credential })
  }
  if (!isWorking) return
  const after = await request(target, credentialRead(target, token.bearer))
  const seen = `a token ${how}: its revocation returned ${revoked.status}, and then a read ${after.status}`
  if (isSuccess(revoked) && isSuccess(after)) judge.fail(RULE, seen, [revoked.evidence(), after.evidence()])
  else if (isSuccess(after)) await judgeRefusedRevocation(target, judge, { ...lived, first: revoked })
}

/** A rejection counts if it persists while a token for one day works, which is created later. */
async function judgeWorks(target: Target, judge: Judge, { token, how, credential }: Lived): Promise<boolean> {
  if ((await request(target, credentialRead(target, token.bearer))).status === 200) return true
  let isWorking = false
  await withApiToken(target, credential, async ({ bearer }) => {
    const { outcome, reply, explanation } = await isStillServed(target, token.bearer, { witness: bearer })
    isWorking = outcome === 'served'
    if (outcome === 'refused')
      judge.fail(RULE, `a token ${how} does not work: ${explanation}`, [reply.evidence()])
  })
  return isWorking
}

/** A rejection counts if it persists while the token works, and the session lists tokens. */
async function judgeRefusedRevocation(
  target: Target,
  judge: Judge,
  { token: { id, bearer }, how, credential, first }: Lived & { first: Reply },
): Promise<void> {
  const { outcome, last, explanation } = await confirm<Reply>({
    first,
    describeError: (reply) =>
      isClientError(reply) && reply.status !== 429 ? String(reply.status) : undefined,
    again: () => revokeApiToken(target, { id, credential }),
    witness: async () => {
      const list = await listApiTokens(target, credential)
      const { alive } = await isAlive(target, bearer)
      const explanation = `the list of tokens -> ${list.status}, the token is ${alive ? 'alive' : 'ended'}`
      return { served: list.status === 200 && alive, explanation }
    },
  })
  const seen = `a token ${how} cannot be revoked: ${explanation}`
  if (outcome === 'persistent') judge.fail(RULE, seen, [last.evidence()])
}

export function judgeRecord(judge: Judge, reply: Reply): void {
  if (!isSuccess(reply)) return
  const problems = check('apiTokenCreated', reply.json)
  const seen = problems.join('; ') || 'fits'
  judge.that('api-token.create.record', problems.length === 0, seen, [reply.evidence()])
}
