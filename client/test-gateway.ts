import { LIMITS } from '../contract/limits.ts'
import type { ClientFrame } from '../contract/schemas/wire.ts'
import type { OpenWire, WireEvents } from './feed-socket.ts'
import type { Tools } from './time-and-chance.ts'

const LATENCY_MS = 10
/** Time to accept a ticket. */
const AUTHENTICATE_MS = 200

type Peer = {
  events: WireEvents
  state: 'opening' | 'open' | 'closed'
  openedAtMs: number
  endsAtMs: number
  rooms: Set<string>
  sentAtMs: number[]
  isMute: boolean
}

/** A gateway and its tickets in virtual time: records violations of its clients. */
export function testGateway(tools: Pick<Tools, 'nowMs' | 'after'>) {
  const { nowMs, after } = tools
  const wrongs: string[] = []
  const tickets = new Map<string, { atMs: number }>()
  const peers: Peer[] = []
  const delays = { synchronizedMs: 0 }
  const refuses = { ticketsUntilMs: 0, upgradesUntilMs: 0 }
  let issued = 0
  let synchronized = 0
  const open = () => peers.filter(({ state }) => state === 'open')

  const send = (peer: Peer, message: object) => {
    after(LATENCY_MS, () => {
      if (peer.state !== 'closed' && !peer.isMute) peer.events.received(JSON.stringify(message), nowMs())
    })
  }
  const close = (peer: Peer) => {
    if (peer.state === 'closed') return
    peer.state = 'closed'
    after(LATENCY_MS, peer.events.closed)
  }
  const receive = (peer: Peer, text: string) => {
    if (peer.state === 'closed') return
    const frame = JSON.parse(text) as ClientFrame
    peer.sentAtMs.push(nowMs())
    if (peer.sentAtMs.filter((atMs) => atMs > nowMs() - 60_000).length > LIMITS.wsFramesPerMinute)
      wrongs.push('too many frames')
    if (frame.action === 'authenticate') return authenticate(peer, frame.token)
    if (peer.endsAtMs === 0) wrongs.push(`${frame.action} before it was authenticated`)
    if (frame.action === 'subscribe') peer.rooms.add(frame.room)
    if (frame.action === 'unsubscribe') peer.rooms.delete(frame.room)
    if (peer.rooms.size > LIMITS.wsRoomsPerConnection) wrongs.push('too many rooms')
    if (frame.action === 'synchronize') {
      synchronized++
      after(delays.synchronizedMs, () => send(peer, { control: 'synchronized' }))
    }
  }
  const authenticate = (peer: Peer, token: string) => {
    const ticket = tickets.get(token)
    if (ticket === undefined) return void wrongs.push('a ticket that is invalid or used')
    tickets.delete(token)
    after(AUTHENTICATE_MS, () => {
      peer.endsAtMs = ticket.atMs + LIMITS.wsTicketSeconds * 1000
      after(peer.endsAtMs - nowMs(), () => {
        if (peer.state !== 'open' || nowMs() < peer.endsAtMs) return
        wrongs.push('not renewed')
        close(peer)
      })
      send(peer, { control: 'authenticated' })
    })
  }
  const openWire: OpenWire = (events) => {
    if (peers.some(({ state }) => state !== 'closed')) wrongs.push('a second socket')
    const peer: Peer = {
      events,
      state: 'opening',
      openedAtMs: nowMs(),
      endsAtMs: 0,
      rooms: new Set(),
      sentAtMs: [],
      isMute: false,
    }
    peers.push(peer)
    after(LATENCY_MS, () => {
      if (nowMs() < refuses.upgradesUntilMs) return close(peer)
      peer.state = 'open'
      events.opened()
      after(LIMITS.wsAuthenticateSeconds * 1000, () => {
        if (peer.state === 'open' && peer.endsAtMs === 0) wrongs.push('not authenticated in time')
      })
    })
    return {
      send: (text) => void after(LATENCY_MS, () => receive(peer, text)),
      ping: () => void after(2 * LATENCY_MS, () => peer.isMute || events.pong()),
      close: () => void after(LATENCY_MS, () => close(peer)),
    }
  }
  return {
    wrongs,
    openWire,
    refuses,
    delays,
    async takeTicket() {
      const requestedAtMs = nowMs()
      if (requestedAtMs < refuses.ticketsUntilMs) return undefined
      const token = `ticket ${++issued}`
      tickets.set(token, { atMs: requestedAtMs })
      return { token, requestedAtMs }
    },
    /** Closes every socket, as a deployment does. */
    restart: () => open().forEach(close),
    /** Keeps the sockets open but stops responding. */
    mute() {
      for (const peer of open()) peer.isMute = true
    },
    /**
     * Sends to each authenticated socket. A gateway that also sent to others, or returned pongs before it handled
     * their ticket, would make the client subscribe too early; the acknowledgment is unspecified, and this gateway is
     * not one of those.
     */
    send: (message: object) => {
      for (const peer of open()) if (peer.endsAtMs > 0) send(peer, message)
    },
    /** By open socket. */
    rooms: () => open().map((peer) => [...peer.rooms].sort()),
    opened: () => peers.map(({ openedAtMs }) => openedAtMs),
    tickets: () => issued,
    /** Number of `synchronize` frames. */
    synchronized: () => synchronized,
  }
}
