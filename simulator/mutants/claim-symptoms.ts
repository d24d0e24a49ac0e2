import { by } from './conditions.ts'
import type { Deviation, DeviationRequest } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { editAt, editRows, type Fields, rest } from './reactions.ts'

export const CLAIM_SYMPTOMS = {
  'swaps-claimed-still-pending': {
    breaks: '/unclaimed keeps listing swaps that were claimed',
    rules: ['swaps.claimed.not-pending'],
    deviates: remembering(),
  },
  'swaps-claimed-early-to-tokens': {
    breaks: 'API tokens see every swap as claimed from the start',
    rules: ['swaps.claimed.not-pending'],
    deviates: rest('GET /swaps', {
      when: by('api-token'),
      reply: editRows((swap) => {
        swap.claim_tx ??= swap.transaction
        swap.claimed_at ??= swap.executed_at
      }),
    }),
  },
  'swaps-claim-undated-multi-hop': {
    breaks: 'a claimed swap with several hops has no claimed_at',
    rules: ['swaps.claimed.both-fields'],
    deviates: rest('GET /swaps', {
      reply: editRows((swap) => {
        if ((swap.hops as Fields[]).length > 1) delete swap.claimed_at // as: the stub's record
      }),
    }),
  },
} as const satisfies DeviationTable

/** Keeps every swap that was pending once in the list for good. */
function remembering(): Deviation {
  const listed = new WeakMap<DeviationRequest['clock'], Map<string, Fields>>()
  return rest('GET /unclaimed', {
    reply: editAt('data', (data, { clock, request: { credential } }) => {
      const owner = typeof credential === 'string' ? '' : credential.address
      const known = listed.get(clock) ?? new Map<string, Fields>()
      listed.set(clock, known)
      const pending = data.pending_swaps as Fields[] // as: the stub's body
      for (const swap of pending) known.set(`${owner} ${swap.swap_id}`, swap)
      data.pending_swaps = [...known].flatMap(([id, swap]) => (id.startsWith(`${owner} `) ? [swap] : []))
    }),
  })
}
