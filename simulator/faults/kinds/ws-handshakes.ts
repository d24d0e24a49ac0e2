import { z } from 'zod'
import { type FaultTools, faultKind } from '../fault-kind.ts'
import type { Hooks, UpgradeAction } from '../hooks.ts'
import { matchesAny, matchesSocket, socketWhereSchema, upgradeWhereSchema } from '../when-and-where.ts'

export const wsHandshakeHang = faultKind({
  name: 'ws-handshake-hang',
  summary: 'Never responds to upgrades, and cuts the connection after `hangMs`.',
  options: z.strictObject({
    where: upgradeWhereSchema,
    hangMs: z.int().min(1).max(3_600_000).default(60_000).describe('Time until the connection is cut'),
  }),
  start: ({ where, hangMs }, tools) => onUpgrades({ where, tools, action: { do: 'hang', ms: hangMs } }),
})

const TEXTS = { 429: 'too many connections', 503: 'the feed is unavailable' }

export const wsHandshakeError = faultKind({
  name: 'ws-handshake-error',
  summary: 'Responds to upgrades with 503 or 429: no socket opens.',
  options: z.strictObject({
    where: upgradeWhereSchema,
    status: z.literal([503, 429]).default(503).describe('Status of the response'),
    retryAfterSeconds: z
      .int()
      .min(0)
      .max(3600)
      .optional()
      .describe('Seconds in `Retry-After`; no header if omitted'),
  }),
  start: ({ where, status, retryAfterSeconds }, tools) =>
    onUpgrades({
      where,
      tools,
      action: {
        do: 'respond',
        status,
        error: TEXTS[status],
        code: 'injected_fault',
        headers: retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) },
      },
    }),
})

export const wsHandshakeReset = faultKind({
  name: 'ws-handshake-reset',
  summary: 'Cuts the connection instead of responding to an upgrade.',
  options: z.strictObject({ where: upgradeWhereSchema }),
  start: ({ where }, tools) => onUpgrades({ where, tools, action: { do: 'reset' } }),
})

/** The five seconds to authenticate begin when the socket opens, so the delay does not shorten them. */
export const wsHandshakeDelay = faultKind({
  name: 'ws-handshake-delay',
  summary: 'Delays the response to upgrades: the connection stays half open for that time.',
  options: z.strictObject({
    where: upgradeWhereSchema,
    delayMs: z.int().min(1).max(3_600_000).default(5000).describe('Delay of each upgrade'),
  }),
  start: ({ where, delayMs }, tools) => onUpgrades({ where, tools, action: { do: 'delay', ms: delayMs } }),
})

export const wsTicketDelay = faultKind({
  name: 'ws-ticket-delay',
  summary:
    'A gateway node does not know a ticket until some time after it was issued. Until then it rejects the ticket, which stays valid.',
  breaks: 'A ticket authenticates from the moment that it is issued.',
  options: z.strictObject({
    where: socketWhereSchema.describe('`addresses` matches the wallet of the ticket'),
    delayMs: z.int().min(1).max(60_000).default(1000).describe('Time after the ticket was issued'),
  }),
  start: ({ where, delayMs }, { decides }) => ({
    ticket: ({ socket, ageMs }) =>
      ageMs < delayMs && matchesSocket(where, socket) && decides(`socket ${socket.id}`),
  }),
})

function onUpgrades(options: {
  where: z.output<typeof upgradeWhereSchema>
  tools: Pick<FaultTools, 'decides'>
  action: UpgradeAction
}): Partial<Hooks> {
  const { where, tools, action } = options
  return {
    upgrade: ({ number, userAgent }) =>
      (where.userAgents === undefined || matchesAny(where.userAgents, userAgent)) &&
      tools.decides(`upgrade ${number}`)
        ? action
        : undefined,
  }
}
