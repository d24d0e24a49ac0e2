/** A target in front of a real stub: REST, feed and control API, each misbehaving as planned. */
import { createHash } from 'node:crypto'
import { createServer, request as forward, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { createStubCertificate, type StubCertificate } from '../../scripts/stub/write-profile.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { drawFrom } from './draw.ts'
import type { ServerPlan } from './fuzz-case.ts'
import { HANDSHAKE, type Misbehavior } from './misbehaviors.ts'
import { mutateFile } from './mutate-text.ts'

export type HostileServer = {
  /** Placeholders of its addresses in files and arguments. */
  placeholders: Record<string, string>
  controlToken: string
  apiTokens: readonly string[]
  /** TLS certificate authority, as PEM; null: no TLS. */
  ca: string | null
  close(): Promise<void>
}

export const NO_SERVER: HostileServer['placeholders'] = {
  '{REST}': 'http://127.0.0.1:9',
  '{FEED}': 'ws://127.0.0.1:9',
  '{CONTROL}': 'http://127.0.0.1:9',
}

/** Starts a stub and the server in front of it. Its behavior depends only on the plan and the order of requests. */
export async function startHostileServer(plan: ServerPlan): Promise<HostileServer> {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'real' })
  const certificate = plan.transport === 'http' ? null : await createStubCertificate({ host: '127.0.0.1' })
  const sockets = new Set<Socket>()
  const rest = restServer(plan, { stub, certificate })
  const control = createServer(respondBy(plan.control, stub.profile.control ?? ''))
  const servers = [rest, control]
  const [restPort, controlPort] = await Promise.all(servers.map((server) => listening(server, sockets)))
  const secure = certificate ? 's' : ''
  return {
    placeholders: {
      '{REST}': `http${secure}://127.0.0.1:${restPort}`,
      '{FEED}': `ws${secure}://127.0.0.1:${restPort}`,
      '{CONTROL}': `http://127.0.0.1:${controlPort}`,
    },
    controlToken: stub.controlToken,
    apiTokens: stub.apiTokens,
    ca: certificate?.ca ?? null,
    async close() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
      await stub.close()
    },
  }
}

function restServer(
  plan: ServerPlan,
  { stub, certificate }: { stub: Stub; certificate: StubCertificate | null },
): Server {
  if (certificate && plan.transport === 'h2') {
    const next = inTurn(plan.rest)
    const old = createServer(respondBy([{ does: 'nothing' }], stub.profile.baseUrl))
    const identity = { ...certificate.identity, ALPNProtocols: ['h2', 'http/1.1'] }
    return createTlsServer(identity, (socket) => {
      socket.on('error', () => socket.destroy())
      if (socket.alpnProtocol === 'h2') socket.once('data', () => misbehave(socket, next()))
      else old.emit('connection', socket)
    })
  }
  const onRequest = respondBy(plan.rest, stub.profile.baseUrl)
  const server = certificate ? createSecureServer(certificate.identity, onRequest) : createServer(onRequest)
  const next = inTurn(plan.feed)
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    const how = next()
    if (how.does === 'nothing') joinFeed(request, socket, stub.profile.wsUrl)
    else misbehave(socket, how, request.headers['sec-websocket-key'])
  })
  return server
}

function respondBy(plan: readonly Misbehavior[], behind: string): RequestListener {
  const next = inTurn(plan)
  return (request, response) => {
    const { socket } = response
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('end', async () => {
      const how = next()
      if (socket === null) return
      if (how.does === 'send') return misbehave(socket, how)
      const response = await forwardRequest(behind, request, Buffer.concat(chunks)).catch(() => null)
      if (response === null) return void socket.destroy()
      const body =
        how.does === 'mutate'
          ? drawFrom(how.seed, (draw) => mutateFile('body.json', asJson(response.body), draw))
          : response.body
      const bytes = Buffer.concat([Buffer.from(formatHead(response, body.length)), body])
      if (how.does === 'cut') misbehave(socket, how, '', bytes)
      else socket.end(bytes)
    })
  }
}

function misbehave(socket: Socket, how: Misbehavior, key = '', whole = Buffer.alloc(0)): void {
  if (how.does === 'cut') {
    const kept = whole.subarray(0, Math.floor(whole.length * how.share))
    if (how.slowly) drip(socket, kept)
    else socket.end(kept)
  } else if (how.does === 'send') {
    const bytes =
      how.bytes.indexOf(HANDSHAKE) === 0
        ? Buffer.concat([accepted(key), how.bytes.subarray(HANDSHAKE.length)])
        : how.bytes
    if (how.after === 'end') socket.end(bytes)
    else if (how.after === 'reset') socket.write(bytes, () => reset(socket))
    else if (how.after === 'endless') pour(socket, bytes)
    else socket.write(bytes)
  } else socket.destroy()
}

function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy()
  else socket.resetAndDestroy()
}

/** Writes for as long as the client reads, and no faster. */
function pour(socket: Socket, first: Buffer): void {
  const more = Buffer.alloc(65_536, 'x')
  const fill = () => {
    while (!socket.destroyed && socket.write(more));
  }
  socket.on('drain', fill)
  socket.write(first)
  fill()
}

function drip(socket: Socket, bytes: Buffer): void {
  let at = 0
  const timer = setInterval(() => {
    if (at >= bytes.length || socket.destroyed) clearInterval(timer)
    else socket.write(bytes.subarray(at, ++at))
  }, 100)
  timer.unref()
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2 */
function accepted(key: string): Buffer {
  const response = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  return Buffer.from(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${response}\r\n\r\n`,
  )
}

function joinFeed({ url, rawHeaders }: IncomingMessage, client: Socket, feed: string): void {
  const { hostname, port } = new URL(feed)
  const behind = connect(Number(port), hostname)
  const headers = rawHeaders.map((text, index) => (index % 2 === 0 ? `\r\n${text}: ` : text)).join('')
  behind.write(`GET ${url} HTTP/1.1${headers}\r\n\r\n`)
  behind.pipe(client).pipe(behind)
  behind.on('error', () => client.destroy())
  behind.on('close', () => client.destroy())
  client.on('close', () => behind.destroy())
}

type ServerResponseTo = { status: number; headers: readonly string[]; body: Buffer }

function forwardRequest(
  behind: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<ServerResponseTo> {
  return new Promise((resolve, reject) => {
    const { host: _, ...kept } = headers
    const onward = forward(`${behind}${url}`, { method, headers: kept, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 502,
          headers: response.rawHeaders,
          body: Buffer.concat(chunks),
        }),
      )
    })
    onward.on('error', reject)
    onward.end(body)
  })
}

const FRAMING = /^(connection|keep-alive|content-length|transfer-encoding)$/i

function formatHead({ status, headers }: ServerResponseTo, length: number): string {
  const lines = headers.flatMap((name, index) =>
    index % 2 === 1 || FRAMING.test(name) ? [] : [`${name}: ${headers[index + 1]}`],
  )
  return [`HTTP/1.1 ${status} OK`, ...lines, `Content-Length: ${length}`, 'Connection: close', '', ''].join(
    '\r\n',
  )
}

function asJson(body: Buffer): string {
  try {
    JSON.parse(body.toString())
    return body.toString()
  } catch {
    return '{}'
  }
}

function inTurn<Item>(list: readonly Item[]): () => Item {
  let turn = 0
  return () => list[turn++ % list.length] as Item // as: no list is empty
}

async function listening(server: Server, sockets: Set<Socket>): Promise<number> {
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port // as: it listens on a port
}
