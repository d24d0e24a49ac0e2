import { NO_RATE_LIMIT } from '../exchange/access/rate-limit.ts'
import { Refusal } from '../exchange/errors.ts'
import type { DeviationRequest } from './deviation.ts'
import { afterOthers, afterOwn, faucet } from './limit-symptoms.ts'
import type { DeviationTable } from './mutant-table.ts'
import { editRows, error, rest } from './reactions.ts'

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

const MINUTE_MS = 60_000

export const FAUCET_MUTANTS = {
  'faucet-refuses': {
    breaks: 'the faucet rejects every claim',
    rules: ['faucet.claim.accepted'],
    deviates: rest(faucet, {
      read: (body, { profile }) => {
        delete body[profile.faucet.address]
      },
    }),
  },
  'faucet-unlimited': {
    breaks: 'an address may claim at any time',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: { limits: { faucetSeconds: 0 } },
  },
  'faucet-10-min': {
    breaks: 'an address may claim again after 10 minutes',
    rules: ['faucet.claim.still-refused'],
    deviates: { limits: { faucetSeconds: 10 * 60 } },
  },
  'faucet-30-min': {
    breaks: 'an address has to wait 30 minutes',
    rules: ['faucet.claim.again'],
    deviates: rest(faucet, { when: afterOwn(15 * MINUTE_MS, 30 * MINUTE_MS), reply: error(400) }),
  },
  'faucet-one-for-all': {
    breaks: 'the faucet accepts one claim per 15 minutes in total, whatever the address',
    rules: ['faucet.claim.per-address'],
    deviates: rest(faucet, { when: afterOthers, reply: error(400) }),
  },
} as const satisfies DeviationTable
