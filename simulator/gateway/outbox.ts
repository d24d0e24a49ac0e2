import type { WebSocket } from 'ws'
import type { FeedChoices } from '../choices/feed-choices.ts'
import { CONTROLS, type FeedError } from './feed-protocol.ts'

/** What a connection sends, bounded: a peer that does not read loses events, then the connection. */
export type Outbox = {
  /** An event, serialised; dropped above the high-water mark. */
  sendEvent(frame: Buffer): void
  sendControl(control: { control: string; code?: FeedError; room?: string }): void
  /** What the peer knows is out of date: it is told once all before is sent. */
  requireResync(): void
  droppedEvents(): number
}

/** Of the library's socket, what an outbox needs. */
export type OutboxSocket = Pick<WebSocket, 'bufferedAmount' | 'terminate'> & {
  send(data: Buffer | string, options: { binary: boolean }, sent: () => void): void
}

/**
 * `resync_required` follows once all that was unsent is sent: then the peer reads again, and what it refetches is newer
 * than what it missed (specification, Events: Server messages).
 */
export function createOutbox(
  socket: OutboxSocket,
  { highWaterBytes, unsentBytesMax }: Pick<FeedChoices, 'highWaterBytes' | 'unsentBytesMax'>,
): Outbox {
  let dropped = 0
  let resyncDue = false

  const send = (frame: Buffer | string) => socket.send(frame, { binary: false }, settle)
  const settle = () => {
    if (!resyncDue || socket.bufferedAmount > 0) return
    resyncDue = false
    sendControl({ control: CONTROLS.resyncRequired })
  }
  const sendControl = (control: object) => {
    if (socket.bufferedAmount > unsentBytesMax) socket.terminate()
    else send(JSON.stringify(control))
  }

  return {
    sendEvent(frame) {
      if (socket.bufferedAmount <= highWaterBytes) return send(frame)
      dropped++
      resyncDue = true
    },
    sendControl,
    requireResync() {
      resyncDue = true
      settle()
    },
    droppedEvents: () => dropped,
  }
}
