import { z } from 'zod'
import { type FaultTools, faultKind } from '../fault-kind.ts'
import type { Seams, UpgradeDeed } from '../seams.ts'
import { matchesAny, matchesSocket, socketWhereSchema, upgradeWhereSchema } from '../when-and-where.ts'

export const feedHungHandshake = faultKind({
  name: 'feed-hung-handshake',
  summary: 'Leaves upgrades without an answer, and cuts the connection in the end.',
  options: z.strictObject({
    where: upgradeWhereSchema,
    hangMs: z.int().min(1).max(3_600_000).default(60_000).describe('When it is cut'),
  }),
  start: ({ where, hangMs }, tools) => onUpgrades({ where, tools, deed: { do: 'hang', ms: hangMs } }),
})

const TEXTS = { 429: 'too many connections', 503: 'the feed is in trouble' }

export const feedRefused = faultKind({
  name: 'feed-refused',
  summary: 'Answers upgrades with 503 or 429: no socket opens.',
  options: z.strictObject({
    where: upgradeWhereSchema,
    status: z.literal([503, 429]).default(503).describe('Of the answer'),
    retryAfterSeconds: z
      .int()
      .min(0)
      .max(3600)
      .optional()
      .describe('Of the `Retry-After` header; none if left out'),
  }),
  start: ({ where, status, retryAfterSeconds }, tools) =>
    onUpgrades({
      where,
      tools,
      deed: {
        do: 'answer',
        status,
        error: TEXTS[status],
        code: 'injected_fault',
        headers: retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) },
      },
    }),
})

export const feedResetHandshake = faultKind({
  name: 'feed-reset-handshake',
  summary: 'Cuts the connection in place of an answer to an upgrade.',
  options: z.strictObject({ where: upgradeWhereSchema }),
  start: ({ where }, tools) => onUpgrades({ where, tools, deed: { do: 'reset' } }),
})

/** The five seconds to authenticate begin with the opening, so they are not shorter for it. */
export const feedSlowHandshake = faultKind({
  name: 'feed-slow-handshake',
  summary: 'Answers upgrades late: the socket stays half open for a while.',
  options: z.strictObject({
    where: upgradeWhereSchema,
    delayMs: z.int().min(1).max(3_600_000).default(5000).describe('How late'),
  }),
  start: ({ where, delayMs }, tools) => onUpgrades({ where, tools, deed: { do: 'delay', ms: delayMs } }),
})

export const wsTicketLate = faultKind({
  name: 'ws-ticket-late',
  summary:
    'A gateway node does not know a ticket until some time after it was issued: until then it rejects the ticket, which stays good.',
  breaks: 'A ticket authenticates from the moment that it is issued.',
  options: z.strictObject({
    where: socketWhereSchema.describe('Of addresses, that of the ticket counts'),
    lateMs: z.int().min(1).max(60_000).default(1000).describe('How long after the ticket was issued'),
  }),
  start: ({ where, lateMs }, { decides }) => ({
    ticket: ({ socket, ageMs }) =>
      ageMs < lateMs && matchesSocket(where, socket) && decides(`socket ${socket.id}`),
  }),
})

/** Does the same to each upgrade that it acts on. */
function onUpgrades(options: {
  where: z.output<typeof upgradeWhereSchema>
  tools: Pick<FaultTools, 'decides'>
  deed: UpgradeDeed
}): Partial<Seams> {
  const { where, tools, deed } = options
  return {
    upgrade: ({ number, userAgent }) =>
      (where.userAgents === undefined || matchesAny(where.userAgents, userAgent)) &&
      tools.decides(`upgrade ${number}`)
        ? deed
        : undefined,
  }
}
