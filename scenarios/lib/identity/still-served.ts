import type { Target } from '../../../contract/scenario-config.ts'
import { confirm } from '../requests/confirm.ts'
import { isClientError } from '../requests/refusal.ts'
import { type Credential, type Reply, type RequestSpec, request } from '../requests/request.ts'
import { credentialRead } from './session.ts'

/** `unclear`: rejected only sometimes, or the witness is rejected as well. */
type ServedCheck = { outcome: 'served' | 'refused' | 'unclear'; reply: Reply; explanation: string }

/**
 * Checks whether a credential that worked before still works. A rejection, whatever its status, counts only
 * if it persists while the same request with `witness`, another valid credential, is served.
 */
export async function isStillServed(
  target: Target,
  credential: Credential,
  { witness, read = credentialRead(target, credential) }: { witness: Credential; read?: RequestSpec },
): Promise<ServedCheck> {
  const { outcome, last, explanation } = await confirm<Reply>({
    first: await request(target, { ...read, credential }),
    describeError: ({ status }) => (status === 200 ? undefined : String(status)),
    again: () => request(target, { ...read, credential }),
    witness: async () => {
      const { status } = await request(target, { ...read, credential: witness })
      return {
        served: status === 200,
        explanation: `${read.method} ${read.path} with another credential -> ${status}`,
      }
    },
  })
  if (last.status === 200) return { outcome: 'served', reply: last, explanation }
  return {
    outcome: outcome === 'persistent' && isClientError(last) ? 'refused' : 'unclear',
    reply: last,
    explanation,
  }
}

/**
 * Describes how a credential that has ended is rejected, if that is not with 401: another rejection counts if it persists while
 * `witness`, a live credential of the same wallet, is served. Undefined if it is rejected with 401, or that is unclear.
 */
export async function findWrongRefusal(
  target: Target,
  ended: Credential,
  { witness }: { witness: Credential },
): Promise<{ reply: Reply; explanation: string } | undefined> {
  const read = { ...credentialRead(target, ended), credential: ended }
  const { outcome, last, explanation } = await confirm<Reply>({
    first: await request(target, read),
    describeError: (reply) =>
      isClientError(reply) && !RIGHT_OR_UNCLEAR.includes(reply.status) ? String(reply.status) : undefined,
    again: () => request(target, read),
    witness: async () => {
      const { status } = await request(target, { ...read, credential: witness })
      return { served: status === 200, explanation: `a live credential of the wallet -> ${status}` }
    },
  })
  return outcome === 'persistent' ? { reply: last, explanation } : undefined
}

/** Any request may be rate limited. */
const RIGHT_OR_UNCLEAR = [401, 429]
