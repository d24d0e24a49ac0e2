import type { Deadline } from './deadlines.ts'

/** Who is judged: a wallet, with all programs that sign in or hold tokens for it; or a stranger, by address and program. */
export type Client = {
  /** The wallet’s address as the exchange writes it; null for a stranger. */
  readonly wallet: string | null
  /** Where it has been seen, the newest last; a stranger has one. */
  readonly seats: Seat[]
  /** The wallets that have been seen on a stranger’s seat: with one alone, it is that wallet’s program as well. */
  readonly wallets: Set<string>
  /** Paths that it has read, and when last; the ones read longest ago are forgotten. */
  readonly reads: Map<string, number>
  /** The highest `minimum_revision` that it has asked for. */
  minimumAsked: number
  firstMs: number
  lastMs: number
  requests: number
  openSockets: number
  findings: number
  readonly deadlines: Set<Deadline>
}

export type Seat = { remoteAddress: string; userAgent: string }

/** As findings and the journal name it. */
export function nameOf({ wallet, wallets, seats }: Client): string {
  const [only] = wallets
  if (wallet !== null) return wallet
  if (wallets.size === 1 && only !== undefined) return only
  return seatName(seats[0])
}

/** Where somebody sits, as one text: address and `User-Agent`. */
export function seatName(seat: Seat | undefined): string {
  return `${seat?.remoteAddress ?? ''} ${seat?.userAgent || '(no User-Agent)'}`
}
