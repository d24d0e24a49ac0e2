import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'

/** The peer reads ECONNRESET. */
export function resetConnection({ raw }: FastifyRequest): void {
  raw.socket.resetAndDestroy()
}

/** Sends the whole head and so many bytes of the body that it promises, and ends the connection once they are out. */
export function cutAfter(reply: FastifyReply, body: string, bytes: number): void {
  const { raw } = reply
  const part = sendHead(reply, body).subarray(0, bytes)
  if (part.length > 0) raw.write(part)
  raw.socket?.end(() => raw.socket?.destroy())
}

const CHUNKS_PER_SECOND = 10

/** Sends the head, and the body as it comes over a thin line, by the virtual clock. */
export function trickle(
  reply: FastifyReply,
  body: string,
  { bytesPerSecond, clock }: { bytesPerSecond: number; clock: Clock },
): void {
  const { raw } = reply
  const chunksPerSecond = Math.min(CHUNKS_PER_SECOND, bytesPerSecond)
  const chunkBytes = Math.floor(bytesPerSecond / chunksPerSecond)
  const goOn = (rest: Buffer) => {
    if (rest.length === 0) return void raw.end()
    const timer = clock.after(1000 / chunksPerSecond, () => {
      raw.off('close', timer.cancel)
      raw.write(rest.subarray(0, chunkBytes))
      goOn(rest.subarray(chunkBytes))
    })
    raw.once('close', timer.cancel)
  }
  goOn(sendHead(reply, body))
}

/** Past all that would send the body with it. Returns the body. */
function sendHead(reply: FastifyReply, body: string): Buffer {
  const bytes = Buffer.from(body)
  reply.header('content-length', bytes.length).hijack()
  // as: headers of node:http, which take numbers too
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string | string[]>)
  reply.raw.flushHeaders()
  return bytes
}
