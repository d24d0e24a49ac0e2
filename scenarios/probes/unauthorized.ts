import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { credentialRead } from '../lib/identity/session.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { explainNotTheExchange } from '../lib/requests/reply.ts'
import { isError, isSuccess, type Reply, type RequestSpec, request } from '../lib/requests/request.ts'
import { ifPossible, type Judge } from '../lib/verdict/judge.ts'

/** The response to a request without a valid credential. */
export type Tried = { reply: Reply; again: () => Promise<Reply> }

export async function tryOut(send: () => Promise<Reply>): Promise<Tried> {
  return { reply: await send(), again: send }
}

/** Not found, or a redirect, such as to a page for signing in. */
export function isElsewhere({ status }: Pick<Reply, 'status'>): boolean {
  return status === 404 || (status >= 300 && status < 400)
}

/** Any request may be rate limited. */
const RIGHT_OR_UNCLEAR = [401, 429]

/**
 * Judges reads that must get 401. Another rejection counts if it persists while a valid credential is served; a 404, a redirect or a
 * page of another server says nothing about credentials.
 */
export async function judge401(
  target: Target,
  judge: Judge,
  { rule, tries }: { rule: string; tries: readonly Tried[] },
): Promise<void> {
  const statuses = tries.map(({ reply }) => reply.status).join(', ')
  const isOwn = ({ reply }: Tried) => explainNotTheExchange(reply) === undefined && !isElsewhere(reply)
  const wrong = tries.filter((one) => isOwn(one) && (isSuccess(one.reply) || isError(one.reply)))
  if (wrong.length > 0) return judge.fail(rule, statuses, listEvidence(wrong))
  const open: Tried[] = []
  for (const tried of tries.filter(({ reply }) => reply.status !== 401)) {
    const { outcome, reply, explanation } = await confirmRejection(target, tried)
    if (outcome === 'persistent') return judge.fail(rule, `${statuses}; ${explanation}`, [reply.evidence()])
    if (reply.status !== 401) open.push({ ...tried, reply })
  }
  if (open.length > 0) judge.inconclusive(rule, `neither success nor 401: ${statuses}`, listEvidence(open))
  else judge.pass(rule, statuses)
}

async function confirmRejection(target: Target, { reply, again }: Tried) {
  const { outcome, last, explanation } = await confirm<Reply>({
    first: reply,
    describeError: (one) =>
      isClientError(one) && !isElsewhere(one) && !RIGHT_OR_UNCLEAR.includes(one.status)
        ? String(one.status)
        : undefined,
    again,
    witness: () => readValid(target),
  })
  return { outcome, reply: last, explanation }
}

/** Without any credential, the witness is a public read. */
async function readValid(target: Target): Promise<{ served: boolean; explanation: string }> {
  const credential = await ifPossible(() => readCredential(target))
  const read: RequestSpec =
    credential === undefined ? { method: 'GET', path: '/pools' } : credentialRead(target, credential)
  const { status } = await request(target, read)
  const by = credential === undefined ? '' : ' with a valid credential'
  return { served: status === 200, explanation: `GET ${read.path}${by} -> ${status}` }
}

function listEvidence(tries: readonly Tried[]): string[] {
  return tries.map(({ reply }) => reply.evidence())
}
