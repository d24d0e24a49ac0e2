/** Where faults take hold of the feed: see seams.ts. */

/** An upgrade as it arrives: nobody has authenticated yet. */
export type SeenUpgrade = {
  /** Counted from 1 over all. */
  number: number
  userAgent: string
}

export type UpgradeDeed =
  | { do: 'delay'; ms: number }
  | { do: 'answer'; status: number; error: string; code: string; headers: Readonly<Record<string, string>> }
  /** Nothing is answered; the connection is cut after so long. */
  | { do: 'hang'; ms: number }
  /** The connection is cut. */
  | { do: 'reset' }

export type SeenSocket = {
  id: number
  /** The gateway node that serves it, from 1. */
  node: number
  /** The wallet of its ticket, as the exchange writes it; null until authenticated. */
  address: string | null
  /** Of the handshake. */
  userAgent: string
  rooms: readonly string[]
}

/** An event on its way into its room. */
export type SeenEvent = { room: string; type: string; block: number }

/** The same on its way to one socket in there. */
export type SeenDelivery = SeenEvent & { socket: SeenSocket }

/** `resync`: whether those whom it concerns get `resync_required` right behind it. */
export type EventDeed =
  /** How long from now each copy goes out, to those who are in the room then: none, and the event is lost. */
  | { do: 'send'; afterMs: readonly number[]; resync: boolean }
  /** Behind the next event of its room, or after so long. */
  | { do: 'hold'; atMostMs: number; resync: boolean }

/** A control on its way to a socket. */
export type SeenControl = { control: string; socket: SeenSocket }

/** A ticket that a socket authenticates with: it is good, and so old. The socket's address is the ticket's. */
export type SeenTicket = { socket: SeenSocket; ageMs: number }

export type FeedSeams = {
  upgrade(seen: SeenUpgrade): UpgradeDeed | undefined
  /** Once for all who are in the room. */
  event(seen: SeenEvent): EventDeed | undefined
  /** For each socket in the room. */
  delivery(seen: SeenDelivery): EventDeed | undefined
  /** Whether the node does not know it yet. */
  ticket(seen: SeenTicket): boolean
  /** How many milliseconds it is held back. */
  control(seen: SeenControl): number | undefined
}

/** The open sockets, and what a fault does to them in its own time. What is done to one that is not open does nothing. */
export type FaultyFeed = {
  /** In the order in which they were opened. */
  sockets(): readonly SeenSocket[]
  close(id: number, close: { code: number; reason: string }): void
  /** Without a close frame: its peer sees 1006. */
  cut(id: number): void
  /** From here nothing comes out of it, not even a pong or a close frame; what it sends is still acted on. */
  mute(id: number): void
  /** What goes out waits until what it returns is called. */
  stall(id: number): () => void
  sendControl(id: number, control: { control: string }): void
}
