import type { Target } from '../../contract/scenario-config.ts'
import { readProtocolState } from '../lib/market/market.ts'
import { pickRevision } from '../lib/pick.ts'
import { confirm } from '../lib/requests/confirm.ts'
import type { Reply } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'

const RULE = 'protocol.pending.503'

/** The second does not fit into 32 bits. */
const FAR_AHEAD = [1000n, 2n ** 32n + 1n]

/**
 * Fails the rule if a revision far ahead is served as an older one, or is an internal error, while the state is served without a
 * minimum. A revision that absurd may be rejected, and other errors may come from waiting for it.
 *
 * @param known the highest revision seen
 */
export async function judgeFarRevisions(target: Target, judge: Judge, known: bigint): Promise<void> {
  const path = target.profile.choices.protocolState.revision
  const describe = (reply: Reply) =>
    describeFarRevision({ status: reply.status, served: pickRevision(reply.json, path) }, known)
  for (const distance of FAR_AHEAD) {
    const minimum = known + distance
    const read = () => readProtocolState(target, minimum)
    const { outcome, last, explanation } = await confirm({
      first: await read(),
      describeError: describe,
      again: read,
      witness: async () => {
        const { status } = await readProtocolState(target)
        return { served: status === 200, explanation: `GET /protocol/state without a minimum -> ${status}` }
      },
    })
    if (outcome === 'persistent')
      return judge.fail(RULE, `for revision ${minimum}, ${explanation}`, [last.evidence()])
  }
}

/** The revision may go on by a few until it is read again. */
const NEWER_MAX = 100n

export function describeFarRevision(
  { status, served }: { status: number; served: bigint | undefined },
  known: bigint,
): string | undefined {
  if (status === 500) return '500'
  const isOlder = status === 200 && served !== undefined && served < known + NEWER_MAX
  return isOlder ? '200 with an older revision' : undefined
}
