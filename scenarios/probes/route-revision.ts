import type { Target } from '../../contract/scenario-config.ts'
import { readProtocolState } from '../lib/market/market.ts'
import { listEvidence, type RouteReply, requestRoute } from '../lib/market/request-route.ts'
import { pick, pickRevision } from '../lib/pick.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isSuccess, type Reply } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'

const RULE = 'route.revision.present'

/** The state may be older than a route by a few revisions, not by this number. */
const AHEAD_MIN = 100n

/**
 * Fails the rule if a route carries something else than a revision, such as a block height: a number far above the revision of
 * the protocol state, which is pending as a minimum. A route one revision ahead proves nothing.
 */
export async function judgeExistingRevision(
  target: Target,
  judge: Judge,
  { found, credential }: { found: readonly RouteReply[]; credential: Credential },
): Promise<void> {
  const { route, protocolState } = target.profile.choices
  const [one] = found
  if (one === undefined || route.protocolRevision === null || protocolState.revision === null) return
  const { pair, amountIn } = one
  const look = async (reply: Reply) => {
    const quoted = isSuccess(reply) ? pickRevision(reply.json, route.protocolRevision) : undefined
    if (quoted === undefined) return ''
    const state = await readProtocolState(target)
    const current = state.status === 200 ? pickRevision(state.json, protocolState.revision) : undefined
    if (!isFarAhead(quoted, current)) return ''
    const { status, json } = await readProtocolState(target, quoted)
    const isPending = status === 503 && pick(json, 'code') === 'protocol_revision_pending'
    return isPending ? `${quoted}, the state ${current}` : ''
  }
  const { outcome, last, explanation } = await confirm({
    first: await look(one.reply),
    describeError: (seen) => (seen === '' ? undefined : 'a revision far above that of the state'),
    again: async () => look(await requestRoute(target, { pair, amountIn, credential })),
    witness: async () => ({ served: true, explanation: '/protocol/state is served' }),
  })
  if (outcome === 'persistent')
    judge.fail(RULE, `a route has the revision ${last}: ${explanation}`, listEvidence([one]))
}

function isFarAhead(quoted: bigint, current: bigint | undefined): boolean {
  return current !== undefined && quoted >= current + AHEAD_MIN
}
