import { valueAt } from '../../demo-client.ts'
import { all, by, from, only, query } from '../conditions.ts'
import type {
  Condition,
  Deviation,
  DeviationRequest,
  DeviationResponse,
  DeviationTable,
  Sent,
} from '../deviation.ts'
import { edit, editAt, editRows, error, type Fields, header, rest, setAt } from '../reactions.ts'
import { pending } from './record-slips.ts'

const STATE = 'GET /protocol/state'
const MINIMUM = query('minimum_revision')
const isPlain = only(({ query }) => !query.has('minimum_revision'))
const isCurrent = only((incoming) => parseMinimumRevision(incoming) === readRevision(incoming))
const isOlder = only((incoming) => parseMinimumRevision(incoming) < readRevision(incoming))

export const PROTOCOL_SYMPTOMS = {
  'protocol-revision-null': {
    breaks: 'the revision of /protocol/state is null',
    rules: ['protocol.state.revision'],
    deviates: rest(STATE, {
      reply: edit((body, { choices }) => setAt(body, choices.profile.protocolState.revision, null)),
    }),
  },
  'protocol-pending-other-code': {
    breaks: 'the code of a pending revision is in upper case',
    rules: ['protocol.pending.503'],
    deviates: rest(STATE, {
      of: [503],
      reply: edit((body) => Object.assign(body, { code: String(body.code).toUpperCase() })),
    }),
  },
  'protocol-pending-error-null': {
    breaks: '`error` of a pending revision is null',
    rules: ['protocol.pending.error-body'],
    deviates: rest(STATE, { of: [503], reply: edit((body) => Object.assign(body, { error: null })) }),
  },
  'protocol-pending-ref-number': {
    breaks: '`ref` of a pending revision is a JSON number',
    rules: ['protocol.pending.error-body'],
    deviates: rest(STATE, { of: [503], reply: edit((body) => Object.assign(body, { ref: 17 })) }),
  },
  'protocol-pending-wait-soon': {
    breaks: 'the Retry-After of a pending revision is `soon`',
    rules: ['protocol.pending.retry-after'],
    deviates: rest(STATE, { of: [503], reply: header('retry-after', () => 'soon') }),
  },
  'protocol-pending-wait-once': {
    breaks: 'the 503 of a pending revision has no Retry-After from the second one on',
    rules: ['protocol.pending.retry-after'],
    deviates: rest(STATE, {
      of: [503],
      when: all(
        only(({ status }) => status === 503),
        from(2),
      ),
      reply: header('retry-after', undefined),
    }),
  },
  'protocol-revision-without-minimum': {
    breaks: '/protocol/state has its revision only if the request has a minimum',
    rules: ['protocol.state.revision'],
    deviates: rest(STATE, {
      when: isPlain,
      reply: edit((body, response) => setRevision(body, response, undefined)),
    }),
  },
  'protocol-current-404': {
    ...minimum('current', isCurrent, 'a minimum of the current revision returns 404', error(404)),
    rules: ['protocol.minimum.current', 'protocol.minimum.served'],
  },
  'protocol-current-500': minimum(
    'current',
    isCurrent,
    'a minimum of the current revision returns 500',
    error(500),
  ),
  'protocol-older-404': minimum(
    'older',
    isOlder,
    'a minimum below the current revision returns 404',
    error(404),
  ),
  'protocol-older-500': minimum(
    'older',
    isOlder,
    'a minimum below the current revision returns 500',
    error(500),
  ),
} as const satisfies DeviationTable

function minimum(
  rule: string,
  when: Condition,
  breaks: string,
  reply: (response: DeviationResponse) => Sent,
) {
  return {
    breaks,
    rules: [`protocol.minimum.${rule}`],
    deviates: rest(STATE, { when: all(MINIMUM, when), reply }),
  }
}

function parseMinimumRevision({ query }: DeviationRequest): number {
  return Number(query.get('minimum_revision'))
}

function readRevision({ body, choices }: DeviationRequest): number {
  return Number(valueAt(body, choices.profile.protocolState.revision))
}

function setRevision(body: Fields, { choices }: DeviationRequest, revision: unknown): void {
  setAt(body, choices.profile.protocolState.revision, revision)
}

const SWAPS = 'GET /swaps'
const UNCLAIMED = 'GET /unclaimed'

export const PORTFOLIO_SYMPTOMS = {
  'wire-swaps-hops-null': {
    breaks: 'hops is null in swaps with one hop',
    rules: ['wire.swaps.record'],
    deviates: rest(SWAPS, {
      reply: editRows((row) => {
        if ((row.hops as unknown[]).length === 1) row.hops = null // as: the stub's record
      }),
    }),
  },
  'wire-swaps-amount-fraction': {
    breaks: 'the output amount of a swap has a fraction',
    rules: ['wire.swaps.record'],
    deviates: rest(SWAPS, {
      reply: editRows((row) => Object.assign(row, { output_amount: `${row.output_amount}.0` })),
    }),
  },
  'wire-swaps-without-nonce': {
    breaks: 'the last swap of a page has no nonce',
    rules: ['wire.swaps.record'],
    deviates: rest(SWAPS, {
      reply: edit(({ data }) => {
        delete (data as Fields[]).at(-1)?.nonce // as: the stub's rows
      }),
    }),
  },
  'wire-token-info-image-number': {
    breaks: 'the image of a token info is a JSON number from the third swap of a page on',
    rules: ['wire.token-info.record'],
    deviates: rest(SWAPS, {
      reply: editRows((row, number) => {
        if (number >= 2) Object.assign(row.input_token_info as Fields, { image: 7 }) // as: every swap of the stub has it
      }),
    }),
  },
  'wire-token-info-without-symbol': {
    breaks: 'the output token info of a swap has no symbol',
    rules: ['wire.token-info.record'],
    deviates: rest(SWAPS, {
      reply: editRows((row) => {
        delete (row.output_token_info as Fields).symbol // as: every swap of the stub has it
      }),
    }),
  },
  'wire-swaps-hops-first-only': {
    breaks: 'a swap shows only the first of its hops',
    rules: ['wire.swaps.record'],
    sometimes: ['paging.swaps.filter'],
    deviates: rest(SWAPS, {
      reply: editRows((row) => Object.assign(row, { hops: listHops(row).slice(0, 1) })),
    }),
  },
  'wire-swaps-direction-inverted': {
    breaks: 'zero_for_one of every hop of a swap is inverted',
    rules: ['wire.swaps.record'],
    deviates: directed((direction) => !direction),
  },
  'wire-swaps-direction-inverted-later': {
    breaks: 'zero_for_one is inverted from the second hop of a swap on',
    rules: ['wire.swaps.record'],
    deviates: directed((direction, index) => (index === 0 ? direction : !direction)),
  },
  'wire-swaps-direction-constant': {
    breaks: 'zero_for_one of every hop of a swap is true',
    rules: ['wire.swaps.record'],
    deviates: directed(() => true),
  },
  'wire-pending-recipient-other': {
    breaks: 'the recipient of a pending swap is another address',
    rules: ['wire.unclaimed.record'],
    deviates: pending(({ output }) => {
      const fields = output as Fields // as: the stub's row
      fields.recipient = [...String(fields.recipient)].toReversed().join('')
    }),
  },
  'wire-pending-private-negated': {
    breaks: 'is_private of pending swaps is negated',
    rules: ['wire.unclaimed.record'],
    deviates: pending((row) => Object.assign(row, { is_private: row.is_private !== true })),
  },
  'wire-pending-amount-halved': {
    breaks: 'amount_out of a pending swap is half of what it was',
    rules: ['wire.unclaimed.record'],
    deviates: pending(({ output }) => {
      const fields = output as Fields // as: the stub's row
      fields.amount_out = String(BigInt(String(fields.amount_out)) / 2n)
    }),
  },
  'wire-unclaimed-without-positions': {
    breaks: '/unclaimed leaves out positions_with_owed',
    rules: ['wire.unclaimed.record'],
    deviates: rest(UNCLAIMED, {
      reply: edit(({ data }) => {
        delete (data as Fields).positions_with_owed // as: the stub's body
      }),
    }),
  },
} as const satisfies DeviationTable

function listHops({ hops }: Fields): Fields[] {
  return hops as Fields[] // as: the stub's record
}

function directed(change: (direction: boolean, index: number) => boolean): Deviation {
  return rest(SWAPS, {
    reply: editRows((row) => {
      for (const [index, hop] of listHops(row).entries())
        hop.zero_for_one = change(hop.zero_for_one === true, index)
    }),
  })
}

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
