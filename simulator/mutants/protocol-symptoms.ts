import { valueAt } from '../demo-client.ts'
import { all, from, only, query } from './conditions.ts'
import type { Condition, DeviationRequest, DeviationResponse, Sent } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { edit, error, type Fields, header, rest, setAt } from './reactions.ts'

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
