/** A TCP peer for tests that sends any bytes and keeps all that it receives. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export type RawPeer = {
  socket: Socket
  write(bytes: string | Buffer): void
  /** All input, when the other side has ended or cut the connection. */
  ended: Promise<Buffer>
  /** All input, when it contains the text. */
  received(text: string): Promise<string>
}

/** Opens a raw connection. Closed with the test. */
export async function connectRaw(port: number, localAddress = '127.0.0.1'): Promise<RawPeer> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const chunks: Buffer[] = []
  const waiting = new Set<() => void>()
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    for (const check of waiting) check()
  })
  socket.on('error', () => {}) // errors show in the close event
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
        const check = () => {
          const all = Buffer.concat(chunks).toString('latin1')
          if (!all.includes(text)) return
          waiting.delete(check)
          resolve(all)
        }
        waiting.add(check)
        check()
        ended.then(() => reject(new Error(`ended before ${JSON.stringify(text)} came`)))
      }),
  }
}

/** Reads the response to a request, which must be the last one on its connection. */
export async function lastResponse(peer: RawPeer): Promise<{ status: number; head: string; body: string }> {
  const [head = '', body = ''] = String(await peer.ended).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body }
}
