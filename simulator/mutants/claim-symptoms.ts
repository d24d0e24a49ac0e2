import type { Asked, Deviation } from '../deviations/deviation.ts'
import { editAt, type Fields, rest } from '../deviations/reactions.ts'
import type { DeviationTable } from './mutant-table.ts'

/** Other ways to break what is shown of a claim. */
export const CLAIM_SYMPTOMS = {
  'swaps-claimed-still-pending': {
    breaks: '/unclaimed goes on to list swaps that were claimed',
    rules: ['swaps.claimed.not-pending'],
    deviates: remembering(),
  },
} as const satisfies DeviationTable

/** A swap that was listed as pending once is listed for good. */
function remembering(): Deviation {
  const listed = new WeakMap<Asked['clock'], Map<string, Fields>>()
  return rest('GET /unclaimed', {
    reply: editAt('data', (data, { clock, request: { credential } }) => {
      const owner = typeof credential === 'string' ? '' : credential.address
      const known = listed.get(clock) ?? new Map<string, Fields>()
      listed.set(clock, known)
      const pending = data.pending_swaps as Fields[] // as: the stub's own body
      for (const swap of pending) known.set(`${owner} ${swap.swap_id}`, swap)
      data.pending_swaps = [...known].flatMap(([id, swap]) => (id.startsWith(`${owner} `) ? [swap] : []))
    }),
  })
}
