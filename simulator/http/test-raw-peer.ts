/** A TCP peer for tests that sends whatever bytes it is told to, and keeps what comes. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export type RawPeer = {
  socket: Socket
  write(bytes: string | Buffer): void
  /** All that came, once the other side has ended the connection or cut it. */
  ended: Promise<Buffer>
  /** All that came, once that holds the text. */
  received(text: string): Promise<string>
}

/** Opens a connection on which any bytes can be sent. Closed with the test. */
export async function connectRaw(port: number, localAddress = '127.0.0.1'): Promise<RawPeer> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const chunks: Buffer[] = []
  const waiting = new Set<() => void>()
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    for (const look of waiting) look()
  })
  socket.on('error', () => {}) // a cut shows in the close
  const ended = new Promise<Buffer>((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, () => resolve(Buffer.concat(chunks)))
  })
  await once(socket, 'connect')
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    ended,
    received: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const all = Buffer.concat(chunks).toString('latin1')
          if (!all.includes(text)) return
          waiting.delete(look)
          resolve(all)
        }
        waiting.add(look)
        look()
        ended.then(() => reject(new Error(`ended before ${JSON.stringify(text)} came`)))
      }),
  }
}

/** Reads the answer to a request, which must be the last on its connection. */
export async function lastAnswer(peer: RawPeer): Promise<{ status: number; head: string; body: string }> {
  const [head = '', body = ''] = String(await peer.ended).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body }
}
