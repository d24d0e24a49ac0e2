/** Mutants of the rate limit and of the faucet. */

import type { Choices } from '../../choices/choices.ts'
import { NO_RATE_LIMIT } from '../../exchange/access/rate-limit.ts'
import { Refusal } from '../../exchange/errors.ts'
import { by, from } from '../conditions.ts'
import type { Condition, DeviationRequest, DeviationResponse, DeviationTable } from '../deviation.ts'
import { edit, error, fromCache, rest, statusOnly, success } from '../reactions.ts'

const MINUTE_MS = 60_000
const REFUSED = [400, 403, 409, 429]
const STATUS = 'GET /access/status'

export const faucet = ({ profile }: Choices) => `POST ${profile.faucet.path}`

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

export const LIMIT_SYMPTOMS = {
  'faucet-second-200': {
    breaks: 'a second claim returns 200 like the first',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: rest(faucet, { of: REFUSED, reply: fromCache }),
  },
  'faucet-one-second': {
    breaks: 'an address may claim again after one second',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: { limits: { faucetSeconds: 1 } },
  },
  'faucet-one-minute': {
    breaks: 'an address may claim again after one minute',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: { limits: { faucetSeconds: 60 } },
  },
  'faucet-13-min-200': {
    breaks: 'a claim after 13 minutes returns 200 like the first',
    rules: ['faucet.claim.still-refused'],
    deviates: rest(faucet, {
      of: [200, ...REFUSED],
      when: afterOwn(13 * MINUTE_MS, 15 * MINUTE_MS),
      reply: fromCache,
    }),
  },
  'faucet-5-min-200': {
    breaks: 'a claim after 5 minutes returns 200 like the first',
    rules: ['faucet.claim.still-refused'],
    deviates: rest(faucet, {
      of: [200, ...REFUSED],
      when: afterOwn(5 * MINUTE_MS, 15 * MINUTE_MS),
      reply: fromCache,
    }),
  },
  'faucet-once-ever': {
    breaks: 'an address that has claimed once is rejected for good',
    rules: ['faucet.claim.again'],
    deviates: rest(faucet, { when: from(2, readAddress), reply: error(403) }),
  },
  'faucet-again-404': {
    breaks: 'a claim after 15 minutes returns 404',
    rules: ['faucet.claim.again'],
    deviates: rest(faucet, { when: afterOwn(15 * MINUTE_MS, 60 * MINUTE_MS), reply: error(404) }),
  },
  'faucet-422': {
    breaks: 'the faucet returns 422 to every claim',
    rules: ['faucet.claim.accepted'],
    deviates: rest(faucet, { of: [200, ...REFUSED], reply: error(422) }),
  },
  'faucet-500': {
    breaks: 'the faucet returns 500 to every claim',
    rules: ['faucet.claim.accepted'],
    deviates: rest(faucet, { of: [200, ...REFUSED], reply: error(500) }),
  },
  'faucet-second-refused-in-200': {
    breaks: 'a second claim for the same address returns 200 with an error body',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: rest(faucet, { of: REFUSED, reply: statusOnly(200) }),
  },
  'faucet-again-by-token': {
    breaks: 'the limit of the faucet does not apply to API tokens',
    rules: ['faucet.claim.once'],
    deviates: rest(faucet, { of: REFUSED, when: by('api-token'), reply: success(claimAgain) }),
  },
  'faucet-other-409': {
    breaks: 'a claim within 15 minutes of one for another address returns 409',
    rules: ['faucet.claim.per-address'],
    deviates: rest(faucet, { when: afterOthers, reply: error(409) }),
  },
  'faucet-other-500': {
    breaks: 'a claim within 15 minutes of one for another address returns 500',
    rules: ['faucet.claim.per-address'],
    deviates: rest(faucet, { of: [200, ...REFUSED], when: afterOthers, reply: error(500) }),
  },
  'rate-limit-without-error': {
    breaks: 'a 429 has a `code` and no `error`',
    rules: ['wire.error.body-shape'],
    deviates: rest(STATUS, {
      of: [429],
      reply: edit((body) => {
        delete body.error
        body.code = 'rate_limited'
      }),
    }),
  },
  'rate-limit-400': {
    breaks: '/access/status returns 400 instead of 429',
    rules: ['rate-limit.burst.429'],
    deviates: rest(STATUS, { of: [429], reply: error(400) }),
  },
  'rate-limit-from-cache': {
    breaks: '/access/status returns the last response instead of 429',
    rules: ['rate-limit.burst.429'],
    deviates: rest(STATUS, { of: [429], reply: fromCache }),
  },
  'rate-limit-then-500': {
    breaks: '/access/status returns 500 to a client that got 429 once',
    rules: ['rate-limit.wait.recovers'],
    deviates: rest(STATUS, { of: [200, 429], when: afterLimit, reply: error(500) }),
  },
  'rate-limit-then-404': {
    breaks: 'a client that got 429 once gets 404 afterwards',
    rules: ['rate-limit.wait.recovers'],
    deviates: rest(STATUS, {
      of: [200, 429],
      when: afterLimit,
      reply: error(404),
    }),
  },
} as const satisfies DeviationTable

export function readAddress({ request, choices }: DeviationRequest): string {
  return String((request.body as Record<string, unknown> | undefined)?.[choices.profile.faucet.address]) // as: a JSON object
}

/** Another grant, with the fields of the last one. */
export function claimAgain(response: DeviationResponse) {
  const { data } = JSON.parse(response.cached ?? '{}') as { data?: object } // as: a body of the stub
  const address = readAddress(response).trim()
  return { data: { ...data, status: 'broadcast', tx_id: crypto.randomUUID(), address } }
}

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

/** Claims at least `minMs` after the first one for the same address, and at most `maxMs`. */
function afterOwn(minMs: number, maxMs: number): Condition {
  return () => {
    const first = new Map<string, number>()
    return (incoming) => {
      const address = readAddress(incoming)
      const nowMs = incoming.clock.nowMs()
      const agoMs = nowMs - (first.get(address) ?? nowMs)
      if (!first.has(address)) first.set(address, nowMs)
      return agoMs >= minMs && agoMs < maxMs
    }
  }
}

/** Successful claims less than 15 minutes after a claim for another address. */
function afterOthers() {
  const takenMs = new Map<string, number>()
  return (incoming: DeviationRequest): boolean => {
    const nowMs = incoming.clock.nowMs()
    const address = readAddress(incoming)
    const isAfter = [...takenMs].some(([other, atMs]) => other !== address && nowMs - atMs < 15 * MINUTE_MS)
    if (!isAfter) takenMs.set(address, nowMs)
    return isAfter
  }
}

/** Responses to a credential that got 429 before. */
function afterLimit() {
  const limited = new Set<string>()
  return ({ request: { credential }, status }: DeviationRequest) => {
    const id = typeof credential === 'string' ? credential : credential.id
    const wasLimited = limited.has(id)
    if (status === 429) limited.add(id)
    return wasLimited && status !== 429
  }
}
