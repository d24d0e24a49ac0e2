import { NO_RATE_LIMIT } from '../exchange/access/rate-limit.ts'
import { Refusal } from '../exchange/errors.ts'
import type { DeviationRequest } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { editRows, rest } from './reactions.ts'

export const RATE_LIMIT_MUTANTS = {
  'rate-limit-never': {
    breaks: 'no client gets 429',
    rules: ['rate-limit.burst.429'],
    deviates: { rateLimit: NO_RATE_LIMIT },
  },
  'rate-limit-forever': {
    breaks: 'a client that got 429 once gets it forever',
    rules: ['rate-limit.wait.recovers'],
    deviates: {
      rest: [
        {
          when: wasLimited,
          of: [429],
          request: () => {
            throw new Refusal('rate_limited', { retryAfterMs: 1000 })
          },
          // Lets the condition see every 429.
          reply: () => undefined,
        },
      ],
    },
  },
} as const satisfies DeviationTable

/** Requests whose credential (or else address) got 429 before. */
function wasLimited() {
  const limited = new Set<string>()
  return ({ request, status }: DeviationRequest): boolean => {
    const { credential, ip, routeOptions } = request
    const key = typeof credential === 'string' ? ip : credential.id
    if (status === 429) limited.add(key)
    return limited.has(key) && routeOptions.config.rateLimit !== false
  }
}

export const SWAP_MUTANTS = {
  'swaps-claimed-early': {
    breaks: 'a swap is shown as claimed from the start',
    rules: ['swaps.claimed.not-pending'],
    deviates: rest('GET /swaps', {
      reply: editRows((swap) => {
        swap.claim_tx ??= swap.transaction
        swap.claimed_at ??= swap.executed_at
      }),
    }),
  },
} as const satisfies DeviationTable
