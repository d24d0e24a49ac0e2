import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { RandomStream } from '../random.ts'
import type { StubLimits } from '../stub-limits.ts'
import type { Saves } from '../undo-log.ts'

import { createExpiringMap, type ExpiringEntries } from './expiring-map.ts'
import { createToken, digest } from './secret.ts'

export type Tickets<Holder> = Saves<OpenTickets<Holder>> & {
  /** A shorter life is not visible in `expiresAtMs`. `subject` goes into the ticket if it is a JWT. */
  issue(holder: Holder, subject: string, shorterLifeMs?: number): { ticket: string; expiresAtMs: number }
  /**
   * Returns the ticket's entry and uses it up if tickets are single-use. undefined: unknown, used, expired, or rejected by
   * `isKnown`, which leaves the ticket unchanged.
   */
  redeem(ticket: string, isKnown?: (entry: Entry<Holder>) => boolean): Entry<Holder> | undefined
}

type Entry<Holder> = { holder: Holder; issuedAtMs: number; expiresAtMs: number }
type OpenTickets<Holder> = ExpiringEntries<Entry<Holder>>

export function createTickets<Holder>(options: {
  clock: Clock
  stream: RandomStream
  choices: Pick<Choices, 'ticketUse' | 'tokenForm'>
  limits: Pick<StubLimits, 'ticketSeconds'>
}): Tickets<Holder> {
  const { clock, stream, choices } = options
  const lifetimeMs = options.limits.ticketSeconds * 1000
  const open = createExpiringMap<Entry<Holder>>({ clock, lifetimeMs })

  return {
    issue(holder, subject, shorterLifeMs = lifetimeMs) {
      const issuedAtMs = clock.nowMs()
      const expiresAtMs = issuedAtMs + Math.min(shorterLifeMs, lifetimeMs)
      const claims = { use: 'ws-ticket', subject, issuedAtMs, expiresAtMs: issuedAtMs + lifetimeMs } as const
      const ticket = createToken(stream, choices.tokenForm, claims)
      return {
        ticket,
        expiresAtMs: open.add(digest(ticket), { holder, issuedAtMs, expiresAtMs }, shorterLifeMs),
      }
    },
    redeem(ticket, isKnown = () => true) {
      const key = digest(ticket)
      const entry = open.get(key)
      if (!entry || !isKnown(entry)) return undefined
      return choices.ticketUse === 'once' ? open.take(key) : entry
    },
    save: open.save,
    restore: open.restore,
  }
}
