import type { Target } from '../../../contract/scenario-config.ts'
import { pick } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import type { Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import type { Judge } from '../verdict/judge.ts'

const TIMES = ['publishTime', 'validUntil', 'serverTime']
/** The times of a quote are close to each other: a larger ratio means another unit. */
const SAME_UNIT_MAX = 100
/** Between seconds and microseconds the ratio is a million. A larger one may mean a duration, since the unit is open. */
const OTHER_UNIT_MAX = 1e7

/** Fails the rule if the times of the valuation contradict each other in four reads. Passes nothing. */
export async function judgeTimes(
  target: Target,
  judge: Judge,
  { rule, path, first }: { rule: string; path: string; first: Reply },
): Promise<void> {
  const { outcome, last, explanation } = await confirm({
    first,
    describeError: ({ json }) => describeTimes(pick(json, 'valuation')),
    again: () => requestParsed(target, { path, query: { limit: '1' } }),
    witness: async () => ({ served: true, explanation: `${path} is served` }),
  })
  if (outcome === 'persistent') judge.fail(rule, explanation, [last.evidence()])
}

/** Another rule covers times that are no integers. Zero may mean that there is no time. */
export function describeTimes(valuation: unknown): string | undefined {
  const [published, validUntil, server] = TIMES.map((name) => {
    const time = pick(valuation, name)
    return typeof time === 'number' && time > 0 ? time : undefined
  })
  const known = [published, validUntil, server].filter((time) => time !== undefined)
  const ratio = known.length < 2 ? 1 : Math.max(...known) / Math.min(...known)
  if (ratio >= SAME_UNIT_MAX) return ratio <= OTHER_UNIT_MAX ? 'the times have different units' : undefined
  if (published === undefined || validUntil === undefined || validUntil >= published) return undefined
  return 'validUntil is before publishTime'
}
