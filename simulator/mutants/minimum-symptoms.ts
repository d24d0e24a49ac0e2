import { all, from, only, query } from '../deviations/conditions.ts'
import type { Answer, Asked, Condition, RestDeviation, Sent } from '../deviations/deviation.ts'
import { edit, error, type Fields, hang, header, rest } from '../deviations/reactions.ts'
import { valueAt } from '../examples/demo-client.ts'
import type { DeviationTable } from './mutant-table.ts'
import { setAt } from './set-at.ts'

const STATE = 'GET /protocol/state'
const MINIMUM = query('minimum_revision')
const isPlain = only(({ query }) => !query.has('minimum_revision'))
const isCurrent = only((asked) => minimumOf(asked) === revisionOf(asked))
const isOlder = only((asked) => minimumOf(asked) < revisionOf(asked))

/** Other ways to break what is served for a minimum revision. */
export const MINIMUM_SYMPTOMS = {
  'protocol-minimum-first': stated('minimum.served', 'a request for a minimum gets the first revision', {
    when: MINIMUM,
    reply: revised(() => 0),
  }),
  'protocol-minimum-undercut-every-time-but-one': stated(
    'minimum.served',
    'a request for a minimum gets the revision below it from the second request on',
    { when: all(MINIMUM, from(2)), reply: undercut },
  ),
  'protocol-minimum-two-below': stated('minimum.served', 'a request for a minimum gets one two below', {
    when: MINIMUM,
    reply: edit((body, answer) => setRevision(body, answer, Math.max(0, minimumOf(answer) - 2))),
  }),
  'protocol-current-404': {
    ...current('returns 404', error(404)),
    rules: ['protocol.minimum.current', 'protocol.minimum.served'],
  },
  'protocol-current-500': current('returns 500', error(500)),
  'protocol-current-silent': current('never responds', hang),
  'protocol-current-304': current('returns 304', ({ reply }) => {
    reply.code(304)
    return { text: '' }
  }),
  'protocol-older-404': older('returns 404', error(404)),
  'protocol-older-400': older('returns 400', error(400)),
  'protocol-older-500': older('returns 500', error(500)),
  'protocol-older-silent': older('never responds', hang),
  'protocol-revision-word': stated('state.revision', 'the revision of /protocol/state is an object', {
    reply: edit((body, { choices: { profile } }) => {
      const path = profile.protocolState.revision
      setAt(body, path, { number: valueAt(body, path) })
    }),
  }),
  'protocol-revision-without-minimum': stated(
    'state.revision',
    'the revision of /protocol/state is there only if a minimum is requested',
    {
      when: isPlain,
      reply: edit((body, { choices }) => setAt(body, choices.profile.protocolState.revision, undefined)),
    },
  ),
  'protocol-state-404': stated('state.revision', '/protocol/state returns 404 without a minimum', {
    when: isPlain,
    reply: error(404),
  }),
  'protocol-state-500': stated('state.revision', '/protocol/state returns 500 without a minimum', {
    when: isPlain,
    reply: error(500),
  }),
  'protocol-pending-wait-unit': waiting('`1s`', () => '1s'),
  'protocol-pending-wait-below-zero': waiting('negative', () => '-1'),
  'protocol-pending-wait-iso': waiting('a date in ISO 8601', ({ clock }) =>
    new Date(clock.nowMs() + 1000).toISOString(),
  ),
  'protocol-pending-wait-empty': waiting('empty', () => ''),
} as const satisfies DeviationTable

type Reaction = (answer: Answer) => Sent

function stated(rule: string, breaks: string, deviates: Omit<RestDeviation, 'routes'>) {
  return { breaks, rules: [`protocol.${rule}`], deviates: rest(STATE, deviates) }
}

function current(how: string, reply: Reaction) {
  return minimum('current', isCurrent, `the current revision as a minimum ${how}`, reply)
}

function older(how: string, reply: Reaction) {
  return minimum('older', isOlder, `a minimum below the current revision ${how}`, reply)
}

function minimum(rule: string, when: Condition, breaks: string, reply: Reaction) {
  return stated(`minimum.${rule}`, breaks, { when: all(MINIMUM, when), reply })
}

function waiting(what: string, value: (answer: Answer) => string) {
  return stated('pending.retry-after', `the Retry-After of a pending revision is ${what}`, {
    of: [503],
    reply: header('retry-after', value),
  })
}

function minimumOf({ query }: Asked): number {
  return Number(query.get('minimum_revision'))
}

function revisionOf({ body, choices }: Asked): number {
  return Number(valueAt(body, choices.profile.protocolState.revision))
}

function setRevision(body: Fields, { choices: { profile, wire } }: Asked, revision: number): void {
  setAt(body, profile.protocolState.revision, wire.revision(revision))
}

function revised(change: (revision: number) => number): Reaction {
  return edit((body, answer) => setRevision(body, answer, change(revisionOf(answer))))
}

function undercut(answer: Answer): Sent {
  const asked = minimumOf(answer)
  if (asked > 0 && answer.body) setRevision(answer.body, answer, asked - 1)
  return undefined
}
