import type { Target } from '../../../contract/scenario-config.ts'
import { confirm } from '../requests/confirm.ts'
import { isClientError } from '../requests/refusal.ts'
import { isSuccess } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import type { Judge } from '../verdict/judge.ts'

const RULE = 'paging.key.round-trip'
const READS = 3
/** Other probes may have read a pool before, so an attempt without a rejection tries a few others. */
const POOLS_PER_ATTEMPT = 3

/**
 * Reads pools several times each. A pool that is served one time and rejected another may be new to a replica
 * that lags behind, so the rule fails only if this repeats with other pools.
 *
 * @param keys of a list; each is used once
 */
export async function judgeRepeatedReads(
  target: Target,
  judge: Judge,
  keys: readonly string[],
): Promise<void> {
  const fresh = keys.values()
  const attempt = async (): Promise<Flicker | undefined> => {
    for (let pools = 0; pools < POOLS_PER_ATTEMPT; pools++) {
      const { value: key } = fresh.next()
      const flicker = key === undefined ? undefined : await readRepeatedly(target, key)
      if (flicker !== undefined) return flicker
    }
    return undefined
  }
  const evidence: string[] = []
  const { outcome, explanation } = await confirm({
    first: await attempt(),
    describeError(flicker) {
      if (flicker === undefined) return undefined
      if (!evidence.includes(flicker.evidence)) evidence.push(flicker.evidence)
      return `a pool returns ${flicker.status} in one of ${READS} reads`
    },
    again: attempt,
    witness: async () => ({ served: true, explanation: 'another pool' }),
  })
  if (outcome === 'persistent') judge.fail(RULE, explanation, evidence)
}

type Flicker = { status: number; evidence: string }

/** Returns the first rejection of a pool that another read serves. */
async function readRepeatedly(target: Target, key: string): Promise<Flicker | undefined> {
  const replies = []
  for (let read = 0; read < READS; read++) {
    const path = `/pools/${encodeURIComponent(key)}`
    replies.push(await requestParsed(target, { path, route: '/pools/{key}' }))
  }
  const at = replies.findIndex(
    (reply) => isClientError(reply) && reply.status !== 403 && reply.status !== 429,
  )
  const rejected = replies[at]
  if (rejected === undefined || !replies.some(isSuccess)) return undefined
  return { status: rejected.status, evidence: rejected.evidence() }
}
