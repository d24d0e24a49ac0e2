import { LIMITS } from '../../contract/limits.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { MutantName } from '../mutants/mutants.ts'
import type { Saves } from '../part.ts'
import type { RandomStream } from '../random.ts'
import { createExpiringMap, type ExpiringEntries } from './expiring-map.ts'
import { createSecret, digest } from './secret.ts'

export type Tickets<Holder> = Saves<OpenTickets<Holder>> & {
  /** A shorter life ends it before it expires, unsaid. */
  issue(holder: Holder, shorterLifeMs?: number): { ticket: string; expiresAtMs: number }
  /** Whose ticket it is; it is used up where tickets are for one use. undefined: unknown, used or expired. */
  redeem(ticket: string): Entry<Holder> | undefined
}

type Entry<Holder> = { holder: Holder; issuedAtMs: number; expiresAtMs: number }
type OpenTickets<Holder> = ExpiringEntries<Entry<Holder>>

/** Tickets for the live feed: short-lived. */
export function createTickets<Holder>(options: {
  clock: Clock
  stream: RandomStream
  choices: Pick<Choices, 'ticketUse'>
  mutant: MutantName | null
}): Tickets<Holder> {
  const { clock, stream, choices, mutant } = options
  const lifetimeMs = (mutant && LIFETIME_MS_OF_MUTANT[mutant]) ?? LIMITS.wsTicketSeconds * 1000
  const open = createExpiringMap<Entry<Holder>>({ clock, lifetimeMs })

  return {
    issue(holder, shorterLifeMs = lifetimeMs) {
      const ticket = createSecret(stream)
      const issuedAtMs = clock.nowMs()
      const expiresAtMs = issuedAtMs + Math.min(shorterLifeMs, lifetimeMs)
      return {
        ticket,
        expiresAtMs: open.add(digest(ticket), { holder, issuedAtMs, expiresAtMs }, shorterLifeMs),
      }
    },
    redeem: (ticket) => (choices.ticketUse === 'once' ? open.take : open.get)(digest(ticket)),
    save: open.save,
    restore: open.restore,
  }
}

/** A thousand years: still a date that can be written down. */
const LIFETIME_MS_OF_MUTANT: Partial<Record<MutantName, number>> = {
  'ws-tickets-forever': 1000 * 365 * 24 * 60 * 60 * 1000,
  'ws-tickets-30-s': 30_000,
}
