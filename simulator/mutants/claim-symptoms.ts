import { by, only } from '../deviations/conditions.ts'
import { editRows, type Fields, rest } from '../deviations/reactions.ts'
import type { DeviationTable } from './mutant-table.ts'

const SWAPS = 'GET /swaps'

/** Other ways to break what a swap shows of its claim. */
export const CLAIM_SYMPTOMS = {
  'swaps-claimed-early-multi-hop': claimed('a swap of several hops', (swap) => hopCount(swap) > 1),
  'swaps-claimed-early-one-hop': claimed('a swap of one hop', (swap) => hopCount(swap) === 1),
  'swaps-claimed-early-private': claimed('a private swap', (swap) => swap.is_private === true),
  'swaps-claimed-early-to-tokens': {
    breaks: 'API tokens are shown each swap as claimed from the start',
    rules: ['swaps.claimed.not-pending'],
    deviates: rest(SWAPS, { when: by('api-token'), reply: editRows(claim) }),
  },
  'swaps-claim-undated-multi-hop': {
    breaks: 'a claimed swap of several hops has no claimed_at',
    rules: ['swaps.claimed.both-fields'],
    deviates: rest(SWAPS, {
      reply: editRows((swap) => {
        if (hopCount(swap) > 1) delete swap.claimed_at
      }),
    }),
  },
  'swaps-claim-undated-on-later-pages': {
    breaks: 'claimed swaps on later pages have no claimed_at',
    rules: ['swaps.claimed.both-fields'],
    deviates: rest(SWAPS, {
      when: only(({ query }) => Number(query.get('offset') ?? 0) > 0),
      reply: editRows((swap) => delete swap.claimed_at),
    }),
  },
  'swaps-claim-date-null': {
    breaks: 'claimed_at of a claimed swap is null',
    rules: ['swaps.claimed.both-fields', 'wire.swaps.record'],
    deviates: rest(SWAPS, {
      reply: editRows((swap) => {
        if (swap.claimed_at !== undefined) swap.claimed_at = null
      }),
    }),
  },
} as const satisfies DeviationTable

function claimed(what: string, isMeant: (swap: Fields) => boolean) {
  return {
    breaks: `${what} is shown as claimed from the start`,
    rules: ['swaps.claimed.not-pending'],
    deviates: rest(SWAPS, {
      reply: editRows((swap) => {
        if (isMeant(swap)) claim(swap)
      }),
    }),
  }
}

function claim(swap: Fields): void {
  swap.claim_tx ??= swap.transaction
  swap.claimed_at ??= swap.executed_at
}

function hopCount({ hops }: Fields): number {
  return (hops as Fields[]).length // as: the stub's own record
}
