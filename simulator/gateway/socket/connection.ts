import type { WebSocket } from 'ws'
import { LIMITS } from '../../../contract/limits.ts'
import type { ClientFrame } from '../../../contract/schemas/wire.ts'
import type { Auth, IssuedTicket } from '../../auth/auth.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Close } from '../../choices/feed-choices.ts'
import type { Clock, Timer } from '../../clock.ts'
import type { Faults } from '../../faults/faults.ts'
import type { SocketContext } from '../../faults/hooks.ts'
import type { Views } from '../../indexer/views/views.ts'
import type { StubLimits } from '../../stub-options.ts'
import { CONTROLS, type FeedError } from '../feed-protocol.ts'
import { createMembership, type Rooms } from '../rooms.ts'
import { createFrameGate, createFrameWindow, parseFrame } from './frames.ts'
import { controlSender, createOutbox, type Outbox, type OutboxSocket, type OutboxStream } from './outbox.ts'
import type { SocketReporter } from './socket-reporter.ts'

export type Connection = {
  readonly id: number
  readonly outbox: Outbox
  address(): string | null
  roomCount(): number
  context(): SocketContext
  receive(frame: Buffer, options: { binary: boolean }): void
  /** Sends a pong with the same bytes (RFC 6455, section 5.5.3). */
  receivePing(bytes: Buffer): void
  receivePong(): void
  beat(): void
  /** Starts the closing handshake: afterwards nothing is sent or handled. */
  end(close: Close): void
  cut(): void
  /** Suppresses all output until it is cut. */
  mute(): void
  /** Leaves all rooms and stops the timers when the socket closes. */
  release(): void
}

export type ConnectionOptions = {
  id: number
  node: number
  userAgent: string
  socket: OutboxSocket & Pick<WebSocket, 'close' | 'ping' | 'pong'>
  /** The stream below the socket. */
  stream: OutboxStream
  auth: Pick<Auth, 'redeemTicket'>
  clock: Clock
  views: Pick<Views, 'pool'>
  rooms: Rooms<Connection>
  choices: Pick<Choices, 'wire' | 'feed'>
  faults: Pick<Faults, 'hooks'>
  limits: StubLimits
  /** Reports to the journal and the observer. */
  report: SocketReporter
  /** Suppresses all output, including pongs and close frames of the library. */
  silence: () => void
  authenticated: () => void
  released: () => void
}

/** A socket from opening to end: authentication, rooms and limits (specification, Events and Limits). */
export function createConnection(options: ConnectionOptions): Connection {
  const { socket, auth, clock, views, rooms, limits, report } = options
  const { wire, feed } = options.choices
  const { closes, controls } = feed
  const membership = createMembership({
    member: () => connection,
    rooms,
    views,
    wire,
    roomsMax: limits.roomsPerConnection,
  })
  const context = (): SocketContext => ({
    id: options.id,
    node: options.node,
    address: subject && wire.address.encode(subject.address),
    userAgent: options.userAgent,
    rooms: [...membership.names()],
  })
  const when = controlSender({ faults: options.faults, clock, context })
  const outbox = createOutbox({ socket, stream: options.stream, bounds: feed, when })
  const admitFrame = createFrameGate({
    clock,
    framesMax: limits.framesPerMinute,
    outbox,
    feed,
    flooded: () => end(closes.tooManyFrames),
  })
  const admitPing = createFrameWindow({
    clock,
    framesMax: LIMITS.wsFramesPerMinute,
    windowMs: feed.frameWindowMs,
  })
  const heartbeat = createHeartbeat({ ping: () => socket.ping(), cut: () => socket.terminate() })
  let subject: { address: string; principal: string } | null = null
  let ended = false
  let isMute = false
  /** Deadline of the authenticate frame, then of the ticket. */
  let deadline: Timer | undefined

  const expectBy = (delayMs: number, missed: Close) => {
    deadline?.cancel()
    deadline = clock.after(delayMs, () => end(missed))
  }
  const refuse = (code: FeedError, room?: string) => {
    if (controls.error === null) return
    outbox.sendControl({ control: controls.error, code, ...(room !== undefined && { room }) })
  }

  /** False while a fault hides the ticket from this node. */
  const isKnown = ({ address, issuedAtMs }: IssuedTicket): boolean => {
    const socket = { ...context(), address: wire.address.encode(address) }
    const ageMs = clock.nowMs() - issuedAtMs
    return !options.faults.hooks.ticket?.some((hook) => hook({ socket, ageMs }))
  }

  const authenticate = (token: string) => {
    const ticket = auth.redeemTicket(token, isKnown)
    const isAnother = subject && subject.principal !== ticket?.principal
    report.authenticate(
      token,
      ticket,
      describeOutcome({ ticket, isAnother: isAnother === true, isKnown: subject !== null }),
    )
    if (!ticket) return end(closes.authenticationFailed)
    if (isAnother) return endIf(closes.principalChanged)
    const { address, principal, expiresAtMs } = ticket
    // A renewal with an older ticket must not shorten the connection.
    const isLater = !subject || !deadline || expiresAtMs > deadline.atMs
    if (!subject) options.authenticated()
    subject = { address, principal }
    if (isLater) expectBy(expiresAtMs - clock.nowMs(), closes.ticketExpired)
    if (controls.authenticated !== null) outbox.sendControl({ control: controls.authenticated })
  }
  const subscribe = (name: string) => {
    if (membership.names().has(name)) return report.frame('subscribe again', name)
    const refusal = membership.findJoinError(name, subject?.address)
    report.subscribe(name, refusal)
    if (refusal) return refuse(refusal, name)
    membership.join(name)
  }
  const act = (frame: ClientFrame) => {
    switch (frame.action) {
      case 'authenticate':
        return authenticate(frame.token)
      case 'subscribe':
        return subscribe(frame.room)
      case 'unsubscribe':
        report.frame('unsubscribe', frame.room)
        return membership.leave(frame.room)
      case 'synchronize':
        report.frame('synchronize')
        // Subscriptions are active at once, so all earlier ones are.
        return outbox.sendControl({ control: CONTROLS.synchronized })
    }
  }

  const release = () => {
    if (ended) return
    ended = true
    deadline?.cancel()
    membership.leaveAll()
    options.released()
  }
  const end = (close: Close) => {
    if (ended) return
    report.ending(close)
    release()
    if (!isMute) socket.close(close.code, close.reason)
  }

  const reportStray = (frame: ClientFrame | undefined, unhandled: 'invalid' | 'binary') => {
    if (frame?.action === 'subscribe') report.subscribe(frame.room, 'not_authenticated')
    else if (frame?.action === 'unsubscribe') report.frame('unsubscribe', frame.room)
    else report.frame(frame ? 'synchronize' : unhandled)
  }
  const receivePong = () => {
    heartbeat.received()
    if (!ended && !admitPing.take()) end(closes.tooManyFrames)
  }
  const endIf = (close: Close | null) => {
    if (close) end(close)
  }

  const connection: Connection = {
    id: options.id,
    outbox,
    address: () => subject?.address ?? null,
    roomCount: () => membership.names().size,
    context,
    receive(bytes, { binary }) {
      heartbeat.received()
      if (ended) return
      if (!admitFrame()) return report.frame('limited')
      const parsed = parseFrame(bytes)
      const frame = binary ? undefined : parsed
      const unhandled = parsed ? 'binary' : 'invalid'
      if (!subject && frame?.action !== 'authenticate') {
        reportStray(frame, unhandled)
        return endIf(closes.authenticationMissing)
      }
      if (frame) return act(frame)
      report.frame(unhandled)
      if (closes.frameInvalid) end(closes.frameInvalid)
      else refuse('frame_invalid')
    },
    receivePing(bytes) {
      receivePong()
      if (!ended) socket.pong(bytes)
    },
    receivePong,
    beat() {
      if (!isMute) heartbeat.beat()
    },
    end,
    cut() {
      report.ending(CUT)
      release()
      socket.terminate()
    },
    mute() {
      isMute = true
      options.silence()
    },
    release,
  }
  expectBy(limits.authenticateSeconds * 1000, closes.deadlineMissed)
  if (controls.greeting !== null) outbox.sendControl({ control: controls.greeting })
  return connection
}

function describeOutcome(options: { ticket: object | undefined; isAnother: boolean; isKnown: boolean }) {
  if (!options.ticket) return 'refused'
  if (options.isAnother) return 'another principal'
  return options.isKnown ? 'renewed' : 'authenticated'
}

/** RFC 6455, section 7.4.1: the code that a peer sees without a close frame. */
const CUT: Close = { code: 1006, reason: '' }

type Heartbeat = {
  received(): void
  /** Call this at every interval. */
  beat(): void
}

/** Pings a peer that is silent for an interval, and cuts it if it is silent for another. */
function createHeartbeat(peer: { ping(): void; cut(): void }): Heartbeat {
  let beatsSilent = 0
  return {
    received() {
      beatsSilent = 0
    },
    beat() {
      beatsSilent++
      if (beatsSilent === 2) peer.ping()
      else if (beatsSilent > 2) peer.cut()
    },
  }
}

/** Calls `fn` at this interval until the returned function is called. */
export type Every = (ms: number, fn: () => void) => () => void

/**
 * In real time, since a peer responds to pings in its own time, whatever the world's clock does. Beats after pending
 * input is read, so that a busy process does not count received data as silence.
 */
export const everyRealMs: Every = (ms, fn) => {
  const timer = setInterval(() => setImmediate(fn), ms)
  return () => clearInterval(timer)
}
