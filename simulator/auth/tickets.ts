import { LIMITS } from '../../contract/limits.ts'
import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { MutantName } from '../mutants/mutants.ts'
import type { RandomStream } from '../random.ts'
import type { Saves } from '../undo-log.ts'
import { createExpiringMap, type ExpiringEntries } from './expiring-map.ts'
import { createToken, digest } from './secret.ts'

export type Tickets<Holder> = Saves<OpenTickets<Holder>> & {
  /** A shorter life ends it before it expires, unsaid. `subject` is what a ticket may say of its holder. */
  issue(holder: Holder, subject: string, shorterLifeMs?: number): { ticket: string; expiresAtMs: number }
  /**
   * Whose ticket it is; it is used up where tickets are for one use. undefined: unknown, used or expired, or one that `isKnown`
   * does not know, which stays as it is.
   */
  redeem(ticket: string, isKnown?: (entry: Entry<Holder>) => boolean): Entry<Holder> | undefined
}

type Entry<Holder> = { holder: Holder; issuedAtMs: number; expiresAtMs: number }
type OpenTickets<Holder> = ExpiringEntries<Entry<Holder>>

/** Tickets for the live feed: short-lived. */
export function createTickets<Holder>(options: {
  clock: Clock
  stream: RandomStream
  choices: Pick<Choices, 'ticketUse' | 'tokenForm'>
  mutant: MutantName | null
}): Tickets<Holder> {
  const { clock, stream, choices, mutant } = options
  const lifetimeMs = (mutant && LIFETIME_MS_OF_MUTANT[mutant]) ?? LIMITS.wsTicketSeconds * 1000
  const open = createExpiringMap<Entry<Holder>>({ clock, lifetimeMs })
  const keyOf = (ticket: string) => digest(partOf(ticket, mutant))

  return {
    issue(holder, subject, shorterLifeMs = lifetimeMs) {
      const issuedAtMs = clock.nowMs()
      const expiresAtMs = issuedAtMs + Math.min(shorterLifeMs, lifetimeMs)
      const claims = { use: 'ws-ticket', subject, issuedAtMs, expiresAtMs: issuedAtMs + lifetimeMs } as const
      const ticket = createToken(stream, choices.tokenForm, claims)
      return {
        ticket,
        expiresAtMs: open.add(keyOf(ticket), { holder, issuedAtMs, expiresAtMs }, shorterLifeMs),
      }
    },
    redeem(ticket, isKnown = () => true) {
      const key = keyOf(ticket)
      const entry = open.get(key)
      if (!entry || !isKnown(entry)) return undefined
      return choices.ticketUse === 'once' ? open.take(key) : entry
    },
    save: open.save,
    restore: open.restore,
  }
}

/** A thousand years: still a date that can be written down. */
const LIFETIME_MS_OF_MUTANT: Partial<Record<MutantName, number>> = {
  'ws-tickets-forever': 1000 * 365 * 24 * 60 * 60 * 1000,
  'ws-tickets-30-s': 30_000,
}

/** What a mutant looks at of a ticket; the rest may be anything. */
function partOf(ticket: string, mutant: MutantName | null): string {
  if (mutant === 'ws-ticket-end-unread') return ticket.slice(0, -UNREAD)
  return mutant === 'ws-ticket-start-unread' ? ticket.slice(UNREAD) : ticket
}

const UNREAD = 8
