import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { FeedChoices } from '../../choices/feed-choices.ts'
import type { Clock } from '../../clock.ts'
import type { Faults } from '../../faults/faults.ts'
import type { SocketContext } from '../../faults/hooks.ts'
import { CONTROLS, type FeedError } from '../feed-protocol.ts'

/** Bounded output of a connection: a slow peer loses events, then the connection. */
export type Outbox = {
  sendEvent(frame: Frame): void
  sendControl(control: { control: string; code?: FeedError; room?: string }): void
  /** Buffers frames until `uncork`, to send them in one write. */
  cork(): void
  uncork(): void
  /** The peer has outdated data. */
  requireResync(): void
  droppedEvents(): number
}

export type OutboxSocket = Pick<WebSocket, 'readyState' | 'terminate'>

export type OutboxStream = Pick<Duplex, 'writableLength' | 'cork' | 'uncork'> & {
  write(frame: Frame): unknown
  once(event: 'drain', drained: () => void): unknown
}

/** RFC 6455: no close frame was sent or received. */
const OPEN: WebSocket['readyState'] = 1

/**
 * Bypasses the library, which would frame each event again for every socket. Without extensions it writes whole frames
 * at once and in order, so these may go between its own. `resync_required` follows drops when the buffer is empty: the
 * peer reads again then, and refetches newer data than it missed (specification, Events: Server messages).
 */
export function createOutbox(options: {
  socket: OutboxSocket
  stream: OutboxStream
  bounds: Pick<FeedChoices, 'highWaterBytes' | 'unsentBytesMax'>
  /** Delays a control (default: sent at once). */
  when?: SendControl
}): Outbox {
  const { socket, stream, when = (_control, send) => send() } = options
  const { highWaterBytes, unsentBytesMax } = options.bounds
  let dropped = 0
  let isDropping = false

  const send = (frame: Frame) => {
    if (socket.readyState === OPEN) stream.write(frame)
  }
  const sendControl = (control: { control: string }) => {
    when(control.control, () => {
      if (stream.writableLength > unsentBytesMax) socket.terminate()
      else send(messageFrame(control))
    })
  }
  const requireResync = () => {
    isDropping = false
    sendControl({ control: CONTROLS.resyncRequired })
  }

  return {
    sendEvent(frame) {
      if (stream.writableLength <= highWaterBytes) return send(frame)
      dropped++
      if (isDropping) return
      isDropping = true
      // Always fires: this much is above the stream's own high-water mark.
      stream.once('drain', requireResync)
    },
    sendControl,
    cork: () => stream.cork(),
    uncork: () => stream.uncork(),
    requireResync() {
      if (!isDropping) requireResync()
    },
    droppedEvents: () => dropped,
  }
}

/** The journal records controls, and the event that announces a revision. */
export type Frame = Buffer & { control?: string; revision?: number }

export function messageFrame(message: Record<string, unknown>): Frame {
  const frame: Frame = textFrame(JSON.stringify(message))
  if (typeof message.control === 'string') frame.control = message.control
  return frame
}

/**
 * A text message on the wire (RFC 6455, section 5.2): one whole, unmasked frame without extensions, so that every
 * socket gets the same bytes.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = FINAL_TEXT
  if (start === 2) frame[1] = length
  else if (start === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, start)
  return frame
}

const FINAL_TEXT = 0x81

type SendControl = (control: string, send: () => void) => void

export function controlSender(options: {
  faults: Pick<Faults, 'hooks'>
  clock: Clock
  context: () => SocketContext
}): SendControl {
  const { faults, clock, context } = options
  return (control, send) => {
    const hooks = faults.hooks.control
    if (hooks === null) return send()
    const socket = context()
    const delayMs = hooks.reduce((sum, hook) => sum + (hook({ control, socket }) ?? 0), 0)
    if (delayMs > 0) clock.after(delayMs, send)
    else send()
  }
}
