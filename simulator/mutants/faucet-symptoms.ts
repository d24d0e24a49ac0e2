import type { Choices } from '../choices/choices.ts'
import type { Answer, Asked, RestDeviation, Sent } from '../deviations/deviation.ts'
import { error, fromCache, hang, page, reset, rest, statusOnly } from '../deviations/reactions.ts'
import { afterLimit } from './after-limit.ts'
import type { DeviationTable } from './mutant-table.ts'

const INTERVAL_MS = 15 * 60_000
const REFUSED = [400, 403, 409, 429]
const STATUS = 'GET /access/status'

const faucet = ({ profile }: Choices) => `POST ${profile.faucet.path}`

/** Other ways to break the claims of the faucet, and the rate limit. */
export const FAUCET_SYMPTOMS = {
  'faucet-silent': claimed('the faucet never responds', { reply: hang }),
  'faucet-401': claimed('the faucet returns 401, whatever the credential', { reply: error(401) }),
  'faucet-429': claimed('the faucet returns 429 to every claim', { reply: error(429) }),
  'faucet-422': claimed('the faucet returns 422 to every claim', { reply: error(422) }),
  'faucet-other-429': others('returns 429', error(429)),
  'faucet-other-409': others('returns 409', error(409)),
  'faucet-other-silent': others('never responds', hang),
  'faucet-other-reset': others('resets the connection', reset),
  'faucet-second-500': {
    breaks: 'a second claim for the same address returns 500',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: rest(faucet, { of: REFUSED, reply: error(500) }),
  },
  'faucet-second-refused-in-200': {
    breaks: 'a second claim for the same address returns 200 with an error body',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: rest(faucet, { of: REFUSED, reply: statusOnly(200) }),
  },
  'faucet-second-silent': {
    breaks: 'a second claim for the same address never gets a response',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: rest(faucet, { of: REFUSED, reply: hang }),
  },
  'rate-limit-400': limited('returns 400 instead of 429', error(400)),
  'rate-limit-silent': limited('never responds instead of returning 429', hang),
  'rate-limit-reset': limited('resets the connection instead of returning 429', reset),
  'rate-limit-page': limited('returns 503 with a page of HTML instead of 429', page(503)),
  'rate-limit-from-cache': limited('returns the last response instead of 429', fromCache),
  'rate-limit-then-500': recovered('returns 500', error(500)),
  'rate-limit-then-403': recovered('returns 403', error(403)),
  'rate-limit-then-silent': recovered('never responds', hang),
} as const satisfies DeviationTable

type Reaction = (answer: Answer) => Sent

function claimed(breaks: string, deviates: Omit<RestDeviation, 'routes'>) {
  return { breaks, rules: ['faucet.claim.accepted'], deviates: rest(faucet, deviates) }
}

function others(how: string, reply: Reaction) {
  return {
    breaks: `a claim within 15 minutes of one for another address ${how}`,
    rules: ['faucet.claim.per-address'],
    deviates: rest(faucet, { when: afterOthers, reply }),
  }
}

function limited(how: string, reply: Reaction) {
  return {
    breaks: `/access/status ${how}`,
    rules: ['rate-limit.burst.429'],
    deviates: rest(STATUS, { of: [429], reply }),
  }
}

function recovered(how: string, reply: Reaction) {
  return {
    breaks: `/access/status ${how} to who got 429 once`,
    rules: ['rate-limit.wait.recovers'],
    deviates: rest(STATUS, { of: [200, 429], when: afterLimit, reply }),
  }
}

/** Claims that were taken though another address claimed less than 15 minutes before. */
function afterOthers() {
  const takenMs = new Map<string, number>()
  return ({ request, choices, clock }: Asked): boolean => {
    const body = request.body as Record<string, unknown> | undefined // as: a JSON object
    const address = String(body?.[choices.profile.faucet.address])
    const nowMs = clock.nowMs()
    const isAfter = [...takenMs].some(([other, atMs]) => other !== address && nowMs - atMs < INTERVAL_MS)
    if (!isAfter) takenMs.set(address, nowMs)
    return isAfter
  }
}
