import { edit, header, rest } from '../deviations/reactions.ts'
import type { DeviationTable } from './mutant-table.ts'
import { setAt } from './set-at.ts'

const STATE = 'GET /protocol/state'

export const PROTOCOL_SYMPTOMS = {
  'protocol-revision-null': {
    breaks: 'the revision of /protocol/state is null',
    rules: ['protocol.state.revision'],
    deviates: rest(STATE, {
      reply: edit((body, { choices }) => setAt(body, choices.profile.protocolState.revision, null)),
    }),
  },
  'protocol-pending-other-code': {
    breaks: 'the code of a pending revision is in capitals',
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
} as const satisfies DeviationTable
