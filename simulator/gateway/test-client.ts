/** A feed client for tests that waits for messages and closes, never for time. */
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

export type Message = {
  type?: string
  control?: string
  code?: string
  room?: string
  data?: Record<string, unknown>
}

export type FeedClient = {
  socket: WebSocket
  send(frame: object | string | Buffer): void
  /** The next message of this type or control; rejects if the socket closes first. */
  next(name: string): Promise<Message>
  /** All unread messages that came before the reply to a `synchronize` sent now, without that reply. */
  synchronize(): Promise<Message[]>
  /** All unread messages that came before the pong to a ping sent now, when the server has handled all frames. */
  settle(): Promise<Message[]>
  closed: Promise<{ code: number; reason: string }>
}

/** Opens a socket that keeps all messages. Rejects if the upgrade fails. */
export async function connectFeed(
  url: string,
  { userAgent }: { userAgent?: string } = {},
): Promise<FeedClient> {
  const socket = new WebSocket(url, { headers: userAgent === undefined ? {} : { 'user-agent': userAgent } })
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)))
    wake()
  })
  let end: { code: number; reason: string } | null = null
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      end = { code, reason: String(reason) }
      resolve(end)
      wake()
    })
  })
  await once(socket, 'open')
  socket.on('error', () => {}) // errors show in the close event
  onTestFinished(() => socket.terminate())

  /** Resolves with everything up to and including the first match. */
  const takeUntil = (name: string) =>
    new Promise<Message[]>((resolve, reject) => {
      const check = () => {
        const index = messages.findIndex(({ type, control }) => type === name || control === name)
        if (index === -1 && !end) return
        waiting.delete(check)
        if (index !== -1) resolve(messages.splice(0, index + 1))
        else reject(new Error(`closed with ${end?.code} while waiting for ${name}`))
      }
      waiting.add(check)
      check()
    })
  const send: FeedClient['send'] = (frame) =>
    socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))

  return {
    socket,
    send,
    async next(name) {
      const message = (await takeUntil(name)).at(-1)
      if (!message) throw new Error('takeUntil always returns a message')
      return message
    },
    async synchronize() {
      send({ action: 'synchronize' })
      return (await takeUntil('synchronized')).slice(0, -1)
    },
    async settle() {
      const pong = once(socket, 'pong')
      socket.ping()
      await Promise.race([pong, closed])
      return messages.splice(0)
    },
    closed,
  }
}
