import type { Clock } from '../clock.ts'
import type { Deadline } from './deadlines.ts'

export type Clients = {
  of(wallet: string | null, seat: Seat): Client
  /** The client, and the strangers at its addresses. */
  kin(client: Client): readonly Client[]
  all(): readonly Client[]
  clear(): void
}

/** Above this, clients not seen for longest are forgotten. */
const CLIENTS_MAX = 500
const SEATS_MAX = 16

/** Identifies a client by its wallet if known, else by IP address and `User-Agent`. */
export function createClients({ clock }: { clock: Clock }): Clients {
  const byKey = new Map<string, Client>()
  /** Cache, since every socket reads it: valid until a client is added, forgotten or seen at another address. */
  let kinByClient = new Map<Client, readonly Client[]>()

  const add = (key: string, wallet: string | null): Client => {
    if (byKey.size >= CLIENTS_MAX) forgetOldest()
    const nowMs = clock.nowMs()
    const client: Client = {
      wallet,
      seats: [],
      wallets: new Set(),
      reads: new Map(),
      minimumRequested: -1,
      firstMs: nowMs,
      lastMs: nowMs,
      requests: 0,
      openSockets: 0,
      findings: 0,
      deadlines: new Set(),
    }
    byKey.set(key, client)
    kinByClient = new Map()
    return client
  }
  const forgetOldest = () => {
    let oldest: [string, Client] | undefined
    for (const entry of byKey) {
      if (entry[1].openSockets === 0 && !(oldest && oldest[1].lastMs <= entry[1].lastMs)) oldest = entry
    }
    if (!oldest) return
    byKey.delete(oldest[0])
    kinByClient = new Map()
    for (const deadline of [...oldest[1].deadlines]) deadline.cancel()
  }
  const stranger = (seat: Seat): Client => {
    const key = seatName(seat)
    const known = byKey.get(key)
    if (known) return known
    const client = add(key, null)
    client.seats.push(seat)
    return client
  }
  const sit = (client: Client, seat: Seat) => {
    const last = client.seats.at(-1)
    if (last && isSame(last, seat)) return
    const at = client.seats.findIndex((other) => isSame(other, seat))
    if (at !== -1) client.seats.splice(at, 1)
    else kinByClient = new Map()
    client.seats.push(seat)
    if (client.seats.length > SEATS_MAX) client.seats.shift()
    const { wallets } = stranger(seat)
    // Two already make it ambiguous; more do not matter.
    if (wallets.size < 2 && client.wallet !== null) wallets.add(client.wallet)
  }

  return {
    of(wallet, seat) {
      const client = wallet === null ? stranger(seat) : (byKey.get(wallet) ?? add(wallet, wallet))
      if (wallet !== null) sit(client, seat)
      client.lastMs = clock.nowMs()
      return client
    },
    kin(client) {
      const known = kinByClient.get(client)
      if (known) return known
      const addresses = new Set(client.seats.map(({ remoteAddress }) => remoteAddress))
      const strangers = [...byKey.values()].filter(
        ({ wallet, seats }) => wallet === null && addresses.has(seats[0]?.remoteAddress ?? ''),
      )
      const kin = [client, ...strangers.filter((other) => other !== client)]
      kinByClient.set(client, kin)
      return kin
    },
    all: () => [...byKey.values()],
    clear() {
      byKey.clear()
      kinByClient = new Map()
    },
  }
}

function isSame(one: Seat, other: Seat): boolean {
  return one.remoteAddress === other.remoteAddress && one.userAgent === other.userAgent
}

/**
 * The party that rules are checked for: a wallet, with all programs that sign in or have tokens for it; or a stranger,
 * by address and program.
 */
export type Client = {
  readonly wallet: string | null
  /** Seats in order of use, newest last; a stranger has one. */
  readonly seats: Seat[]
  /** Wallets seen on a stranger’s seat: with exactly one, the stranger is that wallet’s program. */
  readonly wallets: Set<string>
  /** Paths that it has read, with the last time; the ones read longest ago are forgotten. */
  readonly reads: Map<string, number>
  minimumRequested: number
  firstMs: number
  lastMs: number
  requests: number
  openSockets: number
  findings: number
  readonly deadlines: Set<Deadline>
}

type Seat = { remoteAddress: string; userAgent: string }

export function getClientName({ wallet, wallets, seats }: Client): string {
  const [only] = wallets
  if (wallet !== null) return wallet
  if (wallets.size === 1 && only !== undefined) return only
  return seatName(seats[0])
}

function seatName(seat: Seat | undefined): string {
  return `${seat?.remoteAddress ?? ''} ${seat?.userAgent || '(no User-Agent)'}`
}
