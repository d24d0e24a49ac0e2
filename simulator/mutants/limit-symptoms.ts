/** Other ways to break the faucet's bound and the rate limit. */
import type { Choices } from '../choices/choices.ts'
import { from } from '../deviations/conditions.ts'
import type { Asked, Condition } from '../deviations/deviation.ts'
import { error, fromCache, rest } from '../deviations/reactions.ts'
import { afterLimit } from './after-limit.ts'
import type { DeviationTable } from './mutant-table.ts'

const MINUTE_MS = 60_000
const REFUSED = [400, 403, 409, 429]

const faucet = ({ profile }: Choices) => `POST ${profile.faucet.path}`
const STATUS = 'GET /access/status'

export const LIMIT_SYMPTOMS = {
  'faucet-second-200': {
    breaks: 'a second claim answers 200 as the first did',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: rest(faucet, { of: REFUSED, reply: fromCache }),
  },
  'faucet-13-min-200': {
    breaks: 'a claim after 13 minutes answers 200 as the first did',
    rules: ['faucet.claim.still-refused'],
    deviates: rest(faucet, {
      of: [200, ...REFUSED],
      when: afterOwn(13 * MINUTE_MS, 15 * MINUTE_MS),
      reply: fromCache,
    }),
  },
  'faucet-5-min-200': {
    breaks: 'a claim after 5 minutes answers 200 as the first did',
    rules: ['faucet.claim.still-refused'],
    deviates: rest(faucet, {
      of: [200, ...REFUSED],
      when: afterOwn(5 * MINUTE_MS, 15 * MINUTE_MS),
      reply: fromCache,
    }),
  },
  'faucet-once-ever': {
    breaks: 'an address that has claimed once is refused for good',
    rules: ['faucet.claim.again'],
    deviates: rest(faucet, { when: from(2, addressOf), reply: error(403) }),
  },
  'faucet-again-404': {
    breaks: 'a claim after 15 minutes answers 404',
    rules: ['faucet.claim.again'],
    deviates: rest(faucet, { when: afterOwn(15 * MINUTE_MS, 60 * MINUTE_MS), reply: error(404) }),
  },
  'rate-limit-then-404': {
    breaks: 'who got 429 once gets 404 afterwards',
    rules: ['rate-limit.wait.recovers'],
    deviates: rest(STATUS, {
      of: [200, 429],
      when: afterLimit,
      reply: error(404),
    }),
  },
} as const satisfies DeviationTable

function addressOf({ request, choices }: Asked): string {
  return String((request.body as Record<string, unknown> | undefined)?.[choices.profile.faucet.address]) // as: a JSON object
}

/** Claims at least so long after the first one that the same address made, and no longer than `maxMs`. */
function afterOwn(minMs: number, maxMs: number): Condition {
  return () => {
    const first = new Map<string, number>()
    return (asked) => {
      const address = addressOf(asked)
      const nowMs = asked.clock.nowMs()
      const agoMs = nowMs - (first.get(address) ?? nowMs)
      if (!first.has(address)) first.set(address, nowMs)
      return agoMs >= minMs && agoMs < maxMs
    }
  }
}
