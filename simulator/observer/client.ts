import type { Clock } from '../clock.ts'
import type { Deadline } from './deadlines.ts'
import { parseMinimumRevision, parsePath, type RequestArrival, type RequestOutcome } from './observed.ts'
import { BoundedMap } from './observer-rule.ts'

export type Clients = {
  /** Returns the client that uses this credential there, or the stranger. For requests. */
  of(who: Who, seat: Seat): Client
  /** Returns the client that a socket’s ticket was issued to, as far as known. */
  ofTicket(who: { wallet: string; credentialId?: string | undefined }, seat: Seat): Client
  /** The client, and all that may be the same program: strangers at its addresses, and clients with its seat or credential. */
  kin(client: Client): readonly Client[]
  all(): readonly Client[]
  clear(): void
}

/** A valid credential and its wallet; null without one. */
type Who = { wallet: string | null; credentialId: string | null }

/** Above this, clients not seen for longest are forgotten. */
const CLIENTS_MAX = 500
/** Seats, and credentials, remembered of a client. */
const SEATS_MAX = 16
const CREDENTIALS_MAX = 4 * CLIENTS_MAX
/** Requests with the previous credential may still be in flight. */
const ON_THE_WAY_MS = 250

/**
 * Distinguishes clients by wallet, IP address and `User-Agent`, and those by credential: a new credential replaces the
 * client’s previous one, as after a new sign-in. If the previous one is still used afterwards, there are two programs.
 */
export function createClients({ clock }: { clock: Clock }): Clients {
  const known = new Set<Client>()
  const strangers = new Map<string, Client>()
  const byWallet = new Map<string, { clients: Set<Client>; count: number }>()
  /** By wallet and seat: the client that gets a new credential. */
  const bySeat = new Map<string, Client>()
  /** By wallet, seat and credential. */
  const byCredential = new BoundedMap<string, Client>(CREDENTIALS_MAX)
  /** Cache, since every socket reads it: valid until a client changes its seats or credentials. */
  let kinByClient = new Map<Client, readonly Client[]>()

  const add = (wallet: string | null, seat: Seat, name: string): Client => {
    if (known.size >= CLIENTS_MAX) forgetOldest()
    const nowMs = clock.nowMs()
    const client: Client = {
      name,
      wallet,
      seats: [seat],
      credentials: new Set(),
      newest: null,
      residents: new Set(),
      reads: new Map(),
      minimumRequested: -1,
      minimumMs: Number.NEGATIVE_INFINITY,
      freeMs: Number.NEGATIVE_INFINITY,
      firstMs: nowMs,
      lastMs: nowMs,
      requests: 0,
      openSockets: 0,
      findings: 0,
      deadlines: new Set(),
    }
    known.add(client)
    kinByClient = new Map()
    return client
  }
  const addOwner = (wallet: string, seat: Seat): Client => {
    const others = byWallet.get(wallet) ?? { clients: new Set(), count: 0 }
    others.count++
    const client = add(
      wallet,
      seat,
      others.count === 1 ? wallet : `${wallet} #${others.count} (${seatName(seat)})`,
    )
    byWallet.set(wallet, others)
    others.clients.add(client)
    reside(client, seat)
    return client
  }
  const forgetOldest = () => {
    let oldest: Client | undefined
    for (const client of known)
      if (client.openSockets === 0 && !(oldest && oldest.lastMs <= client.lastMs)) oldest = client
    if (oldest) forget(oldest)
  }
  const forget = (client: Client) => {
    known.delete(client)
    kinByClient = new Map()
    for (const deadline of [...client.deadlines]) deadline.cancel()
    if (client.wallet === null) return void strangers.delete(client.name)
    const others = byWallet.get(client.wallet)
    others?.clients.delete(client)
    if (others?.clients.size === 0) byWallet.delete(client.wallet)
    for (const seat of client.seats) {
      const key = `${client.wallet} ${seatName(seat)}`
      if (bySeat.get(key) === client) bySeat.delete(key)
    }
  }
  const stranger = (seat: Seat): Client => {
    const name = seatName(seat)
    const one = strangers.get(name) ?? add(null, seat, name)
    strangers.set(name, one)
    return one
  }
  /** Two already make it ambiguous who the stranger is; more do not matter. */
  const reside = (client: Client, seat: Seat) => {
    const { residents } = stranger(seat)
    for (const other of residents) if (!known.has(other)) residents.delete(other)
    if (residents.size < 2) residents.add(client)
  }
  const sit = (client: Client, seat: Seat) => {
    const last = client.seats.at(-1)
    if (last && isSame(last, seat)) return
    const at = client.seats.findIndex((other) => isSame(other, seat))
    if (at !== -1) client.seats.splice(at, 1)
    else kinByClient = new Map()
    client.seats.push(seat)
    if (client.seats.length > SEATS_MAX) client.seats.shift()
    reside(client, seat)
  }
  const use = (client: Client, credentialId: string): Client => {
    if (!client.credentials.has(credentialId)) {
      client.credentials.add(credentialId)
      client.newest = { credentialId, sinceMs: clock.nowMs() }
      const [oldest] = client.credentials
      if (client.credentials.size > SEATS_MAX && oldest !== undefined) client.credentials.delete(oldest)
      kinByClient = new Map()
    }
    return client
  }
  const identify = (wallet: string, credentialId: string, seat: Seat): Client => {
    const seatKey = `${wallet} ${seatName(seat)}`
    const key = `${seatKey} ${credentialId}`
    const user = byCredential.get(key)
    if (user && known.has(user)) {
      const { newest } = user
      if (newest?.credentialId === credentialId || clock.nowMs() - (newest?.sinceMs ?? 0) <= ON_THE_WAY_MS)
        return user
    }
    const owner = (user ? undefined : bySeat.get(seatKey)) ?? addOwner(wallet, seat)
    if (!bySeat.has(seatKey)) bySeat.set(seatKey, owner)
    byCredential.set(key, owner)
    return use(owner, credentialId)
  }

  return {
    of({ wallet, credentialId }, seat) {
      const { remoteAddress, userAgent } = seat
      const own = { remoteAddress, userAgent }
      const client = wallet === null ? stranger(own) : identify(wallet, credentialId ?? '', own)
      client.lastMs = clock.nowMs()
      return client
    },
    ofTicket({ wallet, credentialId }, seat) {
      const ranked = [...(byWallet.get(wallet)?.clients ?? [])]
        .map((client) => ({ client, rank: rankHolder(client, { credentialId, seat }) }))
        .sort((one, other) => one.rank - other.rank || lastTicketMs(one.client) - lastTicketMs(other.client))
      const client = ranked.at(-1)?.client ?? identify(wallet, credentialId ?? '', seat)
      sit(client, seat)
      client.lastMs = clock.nowMs()
      return client
    },
    kin(client) {
      const cached = kinByClient.get(client)
      if (cached) return cached
      const addresses = new Set(client.seats.map(({ remoteAddress }) => remoteAddress))
      const near = [...strangers.values()].filter(({ seats }) => addresses.has(seats[0]?.remoteAddress ?? ''))
      const own = client.wallet === null ? [] : [...(byWallet.get(client.wallet)?.clients ?? [])]
      const kin = [...new Set([client, ...near, ...own.filter((other) => mayBeSame(client, other))])]
      kinByClient.set(client, kin)
      return kin
    },
    all: () => [...known],
    clear() {
      for (const map of [known, strangers, byWallet, bySeat, byCredential]) map.clear()
      kinByClient = new Map()
    },
  }
}

/** How likely the client requested the socket’s ticket. */
function rankHolder(
  { seats, credentials }: Client,
  { credentialId, seat }: { credentialId: string | undefined; seat: Seat },
): number {
  const isOwner = credentialId !== undefined && credentials.has(credentialId)
  const isThere = seats.some((own) => isSame(own, seat))
  const isNear = seats.some(({ remoteAddress }) => remoteAddress === seat.remoteAddress)
  return Number(isOwner) * 4 + Number(isThere) * 2 + Number(isNear)
}

function lastTicketMs({ reads }: Client): number {
  return reads.get('/auth/ws-ticket') ?? 0
}

/** True if both use one credential, or one of them has requests from a seat of the other. */
function mayBeSame(one: Client, other: Client): boolean {
  const [first] = one.seats
  const [second] = other.seats
  return (
    [...one.credentials].some((id) => other.credentials.has(id)) ||
    one.seats.some((seat) => second !== undefined && isSame(seat, second)) ||
    other.seats.some((seat) => first !== undefined && isSame(seat, first))
  )
}

function isSame(one: Seat, other: Seat): boolean {
  return one.remoteAddress === other.remoteAddress && one.userAgent === other.userAgent
}

/** The party that rules are checked for: a program with credentials of a wallet; or a stranger, by address and program. */
export type Client = {
  /** Unique, and never changes. */
  readonly name: string
  readonly wallet: string | null
  /** Seats in order of use, newest last; a stranger has one. */
  readonly seats: Seat[]
  /** Newest last. */
  readonly credentials: Set<string>
  /** The newest credential, with the time of its first use. */
  newest: { readonly credentialId: string; readonly sinceMs: number } | null
  /** Clients seen on a stranger’s seat: with exactly one, the stranger is that client. */
  readonly residents: Set<Client>
  /** Paths that it has read, with the last time; the ones read longest ago are forgotten. */
  readonly reads: Map<string, number>
  minimumRequested: number
  /** When it last requested a configuration with a minimum. */
  minimumMs: number
  /** End of the longest wait that a 429 required: until then, it may wait with all its requests. */
  freeMs: number
  firstMs: number
  lastMs: number
  requests: number
  openSockets: number
  findings: number
  readonly deadlines: Set<Deadline>
}

type Seat = { remoteAddress: string; userAgent: string }

export function getClientName({ name, residents }: Client): string {
  const [only] = residents
  return residents.size === 1 && only ? only.name : name
}

function seatName(seat: Seat | undefined): string {
  return `${seat?.remoteAddress ?? ''} ${seat?.userAgent || '(no User-Agent)'}`
}

/** Call for each response. */
export function noteLimit(
  client: Client,
  { status, respondedMs, retryAfterMs }: Pick<RequestOutcome, 'status' | 'respondedMs' | 'retryAfterMs'>,
): void {
  if (status === 429) client.freeMs = Math.max(client.freeMs, respondedMs + (retryAfterMs ?? 0))
}

const READS_MAX = 200

/** Returns when the client read the same path before. */
export function noteRead(client: Client, { url, route, arrivedMs }: RequestArrival): number | null {
  const { reads } = client
  const path = parsePath(url)
  const beforeMs = reads.get(path) ?? null
  // Newest last.
  if (beforeMs !== null) reads.delete(path)
  reads.set(path, arrivedMs)
  if (reads.size > READS_MAX) {
    const [oldest] = reads.keys()
    reads.delete(oldest ?? '')
  }
  const minimum = route === '/protocol/state' ? parseMinimumRevision(url) : -1
  if (minimum >= 0) {
    client.minimumRequested = Math.max(client.minimumRequested, minimum)
    client.minimumMs = arrivedMs
  }
  return beforeMs
}
