import { afterLostRefresh } from './after-lost-refresh.ts'
import { baseUnits } from './base-units.ts'
import type { Credential } from './credential.ts'
import type { Quote, Ticket } from './exchange.ts'
import type { ExchangeError } from './exchange-error.ts'
import { greet } from './greet.ts'
import { join } from './join.ts'
import { judgeSilence, LIVENESS_CHECK_MS } from './liveness.ts'
import { nextOffset } from './next-offset.ts'
import { poolPath } from './pool-path.ts'
import { backoffMs, retryDelayMs } from './retry-delay.ts'
import { urlOf } from './url-of.ts'

const ROOMS_MAX = 32

/**
 * All that the exchange leaves to its clients' good conduct, one piece a duty. Everything else is how this client happens to
 * be made. A wrong client is this one with one piece replaced.
 */
export const RIGHT_CONDUCT = {
  // Requests
  urlOf,
  retryDelayMs,
  attemptsMax: 8,
  replaceCredential: (credential: Credential, refusedVersion: number): Promise<void> =>
    credential.replace(refusedVersion),
  /** A wallet without access gets none by asking again. */
  stopsAt: ({ status }: ExchangeError): boolean => status === 403,
  nextOffset,
  poolPath,
  baseUnits,

  // Sessions
  messageToSign: (message: string): string => message,
  changeHeaders: (csrfToken: string | undefined): Record<string, string> =>
    csrfToken === undefined ? {} : { 'x-csrf-token': csrfToken },
  afterLostRefresh,

  // The feed
  feedUrl: (wsUrl: string): string => `${wsUrl.replace(/\/$/, '')}/ws`,
  /** Never one that was used, nor anything else in its place. */
  ticketFor: ({ fresh }: { fresh: () => Promise<Ticket>; last: Ticket | undefined; isRenewal: boolean }) =>
    fresh(),
  ticketTimes: { renewAfterMs: 30_000, giveUpAfterMs: 55_000 },
  greet,
  join,
  roomsToJoin: (wanted: readonly string[]): readonly string[] => wanted.slice(0, ROOMS_MAX),
  frameText: (frame: object): string => JSON.stringify(frame),
  checkEveryMs: LIVENESS_CHECK_MS,
  judgeSilence,
  takeUnknownControl: (_taken: { control: unknown; end: () => void }): unknown => undefined,
  reconnectDelayMs: backoffMs,
  refetchesAt: (_occasion: 'start' | 'reconnect' | 'resync'): boolean => true,

  // Configuration and routes
  stateQuery: (minimum: number): Record<string, string> => ({ minimum_revision: String(minimum) }),
  isStale: (quote: Quote, revision: number): boolean => quote.revision < revision,
}

export type Conduct = typeof RIGHT_CONDUCT
