import type { Target } from '../../contract/scenario-config.ts'
import { tryAndRevoke } from '../lib/identity/api-token.ts'
import { getCredential, isAlive, type Session } from '../lib/identity/session.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

export type RefusedWrite = { csrf: string | undefined; evidence: string; explanation: string }

/**
 * A change by a session whose access has expired gets 401, after which a client refreshes. Returns another rejection if it persists
 * while a fresh session of the wallet succeeds. The CSRF token is right if the same change succeeds after the refresh.
 */
export async function findRefusedWrite(
  target: Target,
  { session, fresh }: { session: Session; fresh: Session },
): Promise<RefusedWrite | undefined> {
  const { csrf } = session
  if (csrf === undefined) return undefined
  const found: RefusedWrite[] = []
  const owner = getCredential(fresh)
  const change = () => tryAndRevoke(target, getCredential(session), owner)
  await unlessCannot(async () => {
    const { outcome, last, explanation } = await confirm<Reply>({
      first: await change(),
      describeError: (reply) => describeRefusal(reply, [401, 429]),
      again: change,
      witness: () => createsToken(target, fresh),
    })
    if (outcome === 'persistent') found.push({ csrf, evidence: last.evidence(), explanation })
  })
  return found[0]
}

/** A rejection counts if it persists while the session reads, and a fresh one of the wallet succeeds. Passes nothing. */
export async function judgeWrite(
  target: Target,
  judge: Judge,
  {
    how,
    revived,
    fresh,
    refusal,
  }: { how: string; revived: Session; fresh: Session; refusal: RefusedWrite | undefined },
): Promise<void> {
  if (revived.csrf === undefined) return
  const change = () => tryAndRevoke(target, getCredential(revived))
  await unlessCannot(async () => {
    const first = await change()
    if (isSuccess(first) && refusal !== undefined && refusal.csrf === revived.csrf) {
      const seen = `POST /api-tokens after 16 minutes: ${refusal.explanation}; after a refresh it returns ${first.status}`
      judge.fail('auth.session.expires-15-min', seen, [refusal.evidence, first.evidence()])
    }
    const { outcome, last, explanation } = await confirm<Reply>({
      first,
      describeError: (reply) => describeRefusal(reply, [404, 429]),
      again: change,
      witness: async () => {
        const { alive, reply } = await isAlive(target, getCredential(revived))
        const created = await createsToken(target, fresh)
        const explanation = `a read -> ${reply.status}, ${created.explanation}`
        return { served: alive && created.served, explanation }
      },
    })
    const seen = `${how}: refreshed, and then POST /api-tokens returns ${explanation}`
    if (outcome === 'persistent') judge.fail('auth.refresh.revives', seen, [last.evidence()])
  })
}

function describeRefusal(reply: Reply, others: readonly number[]): string | undefined {
  return isClientError(reply) && !others.includes(reply.status) ? String(reply.status) : undefined
}

async function createsToken(
  target: Target,
  fresh: Session,
): Promise<{ served: boolean; explanation: string }> {
  const reply = await tryAndRevoke(target, getCredential(fresh))
  return { served: isSuccess(reply), explanation: `POST /api-tokens by a fresh session -> ${reply.status}` }
}
