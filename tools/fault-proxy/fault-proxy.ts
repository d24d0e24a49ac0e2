import { once } from 'node:events'
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** One request at the proxy, and its two ways to continue. */
export type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  /** Requests the whole response from the server behind. */
  forward(): Promise<ProxyResponse>
  reply(response: ProxyResponse): void
}

export type ProxyResponse = { status: number; headers: Record<string, string | string[]>; body: Buffer }

/** A feed socket at the proxy, before any data has passed. */
export type Upgrade = {
  request: IncomingMessage
  client: Duplex
  /** Connects both sides; the server's data may be changed in transit. */
  join(): Socket
}

export type FaultProxy = { baseUrl: string; wsUrl: string; close(): Promise<void> }

/** A proxy in front of an exchange and its feed that injects faults with `changeRest` and `changeFeed`. */
export async function startFaultProxy(options: {
  rest: string
  feed: string
  changeRest: (exchange: Exchange) => Promise<void>
  changeFeed: (upgrade: Upgrade) => void
}): Promise<FaultProxy> {
  const sockets = new Set<Duplex>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => response.destroy())
    request.on('end', () => {
      const send = () => forwardRequest(options.rest, request, Buffer.concat(chunks))
      const reply = (reply: ProxyResponse) => {
        response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length })
        response.end(reply.body)
      }
      options.changeRest({ request, response, forward: send, reply }).catch(() => response.destroy())
    })
  })
  server.on('upgrade', (request, client, head) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.on('close', () => sockets.delete(client))
    const join = () => {
      const { hostname, port } = new URL(options.feed)
      const behind = connect(Number(port), hostname)
      behind.write(upgradeText(request))
      behind.write(head)
      behind.pipe(client)
      client.pipe(behind)
      behind.on('error', () => client.destroy())
      behind.on('close', () => client.end())
      client.on('close', () => behind.destroy())
      return behind
    }
    options.changeFeed({ request, client, join })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as: it listens on a port
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function forwardRequest(
  rest: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<ProxyResponse> {
  return new Promise((resolve, reject) => {
    const onward = forward(`${rest}${url}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { connection: _, 'transfer-encoding': __, ...kept } = response.headers
        const status = response.statusCode ?? 502
        resolve({ status, headers: kept as ProxyResponse['headers'], body: Buffer.concat(chunks) }) // as: no header of a response is undefined
      })
    })
    onward.on('error', reject)
    onward.end(body)
  })
}

function upgradeText({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}
