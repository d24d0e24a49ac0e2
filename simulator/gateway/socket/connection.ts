import type { WebSocket } from 'ws'
import { LIMITS } from '../../../contract/limits.ts'
import type { ClientFrame } from '../../../contract/schemas/feed.ts'
import type { Auth, IssuedTicket } from '../../auth/auth.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Close } from '../../choices/feed-choices.ts'
import type { Clock, Timer } from '../../clock.ts'
import type { Faults } from '../../faults/faults.ts'
import type { SeenSocket } from '../../faults/seams.ts'
import type { Views } from '../../indexer/views/views.ts'
import type { StubLimits } from '../../stub-limits.ts'
import { CONTROLS, type FeedError } from '../feed-protocol.ts'
import { createMembership, type Rooms } from '../rooms.ts'
import { createFrameGate, createFrameWindow, parseFrame } from './frames.ts'
import { createHeartbeat } from './heartbeat.ts'
import { controlSender, createOutbox, type Outbox, type OutboxSocket, type OutboxStream } from './outbox.ts'
import type { TellSocket } from './tell-socket.ts'

export type Connection = {
  readonly id: number
  readonly outbox: Outbox
  /** null until authenticated. */
  address(): string | null
  roomCount(): number
  /** As faults see it. */
  seen(): SeenSocket
  receive(frame: Buffer, options: { binary: boolean }): void
  /** Answers with the same bytes (RFC 6455, section 5.5.3). */
  receivePing(bytes: Buffer): void
  receivePong(): void
  beat(): void
  /** Starts the closing handshake: from here nothing is sent or acted on. */
  end(close: Close): void
  /** Without a close frame. */
  cut(): void
  /** From here nothing comes out of it: it stays open until it is cut. */
  mute(): void
  /** Leaves all rooms and stops the timers: the socket is gone, or about to go. */
  release(): void
}

export type ConnectionOptions = {
  id: number
  /** That serves it. */
  node: number
  userAgent: string
  socket: OutboxSocket & Pick<WebSocket, 'close' | 'ping' | 'pong'>
  /** What the socket speaks over. */
  stream: OutboxStream
  auth: Pick<Auth, 'redeemTicket'>
  clock: Clock
  views: Pick<Views, 'pool'>
  rooms: Rooms<Connection>
  choices: Pick<Choices, 'wire' | 'feed'>
  faults: Pick<Faults, 'seams'>
  limits: StubLimits
  /** For the journal and the observer. */
  tell: TellSocket
  /** From here nothing goes out, not even pongs and close frames of the library. */
  silence: () => void
  /** Called at the first good ticket. */
  authenticated: () => void
  /** Called once. */
  released: () => void
}

/** One socket from opening to end: authentication, rooms and limits (specification, Events and Limits). */
export function createConnection(options: ConnectionOptions): Connection {
  const { socket, auth, clock, views, rooms, limits, tell } = options
  const { wire, feed } = options.choices
  const { closes, controls } = feed
  const membership = createMembership({
    member: () => connection,
    rooms,
    views,
    wire,
    roomsMax: limits.roomsPerConnection,
  })
  const seen = (): SeenSocket => ({
    id: options.id,
    node: options.node,
    address: subject && wire.address.encode(subject.address),
    userAgent: options.userAgent,
    rooms: [...membership.names()],
  })
  const when = controlSender({ faults: options.faults, clock, seen })
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
  /** Of the authenticate frame first, of the ticket's expiry then. */
  let deadline: Timer | undefined

  const expectBy = (delayMs: number, missed: Close) => {
    deadline?.cancel()
    deadline = clock.after(delayMs, () => end(missed))
  }
  const refuse = (code: FeedError, room?: string) => {
    if (controls.error === null) return
    outbox.sendControl({ control: controls.error, code, ...(room !== undefined && { room }) })
  }

  /** To the node: a fault may have it learn of tickets late. */
  const isKnown = ({ address, issuedAtMs }: IssuedTicket): boolean => {
    const socket = { ...seen(), address: wire.address.encode(address) }
    const ageMs = clock.nowMs() - issuedAtMs
    return !options.faults.seams.ticket?.some((seam) => seam({ socket, ageMs }))
  }

  const authenticate = (token: string) => {
    const ticket = auth.redeemTicket(token, isKnown)
    const isAnother = subject && subject.principal !== ticket?.principal
    tell.authenticate(
      token,
      ticket,
      outcomeOf({ ticket, isAnother: isAnother === true, isKnown: subject !== null }),
    )
    if (!ticket) return end(closes.authenticationFailed)
    if (isAnother) return endIf(closes.principalChanged)
    const { address, principal, expiresAtMs } = ticket
    // An older ticket as a renewal takes nothing away from a newer one.
    const isLater = !subject || !deadline || expiresAtMs > deadline.atMs
    if (!subject) options.authenticated()
    subject = { address, principal }
    if (isLater) expectBy(expiresAtMs - clock.nowMs(), closes.ticketExpired)
    if (controls.authenticated !== null) outbox.sendControl({ control: controls.authenticated })
  }
  const subscribe = (name: string) => {
    if (membership.names().has(name)) return
    const refusal = membership.refusalOf(name, subject?.address)
    tell.subscribe(name, refusal)
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
        tell.frame('unsubscribe', frame.room)
        return membership.leave(frame.room)
      case 'synchronize':
        tell.frame('synchronize')
        // Subscriptions are active at once, so all that came before are.
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
    tell.ending(close)
    release()
    if (!isMute) socket.close(close.code, close.reason)
  }

  /** One that comes before authentication. */
  const tellStray = (frame: ClientFrame | undefined) => {
    if (frame?.action === 'subscribe') tell.subscribe(frame.room, 'not_authenticated')
    else if (frame?.action === 'unsubscribe') tell.frame('unsubscribe', frame.room)
    else tell.frame(frame ? 'synchronize' : 'invalid')
  }
  const receivePong = () => {
    heartbeat.heard()
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
    seen,
    receive(bytes, { binary }) {
      heartbeat.heard()
      if (ended) return
      if (!admitFrame()) return tell.frame('limited')
      const frame = binary ? undefined : parseFrame(bytes)
      if (!subject && frame?.action !== 'authenticate') {
        tellStray(frame)
        return endIf(closes.authenticationMissing)
      }
      if (frame) return act(frame)
      tell.frame('invalid')
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
      tell.ending(CUT)
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

function outcomeOf(options: { ticket: object | undefined; isAnother: boolean; isKnown: boolean }) {
  if (!options.ticket) return 'refused'
  if (options.isAnother) return 'another principal'
  return options.isKnown ? 'renewed' : 'authenticated'
}

/** RFC 6455, section 7.4.1: what a peer sees where no close frame comes. */
const CUT: Close = { code: 1006, reason: '' }
