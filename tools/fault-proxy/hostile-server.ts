/** Servers that are no exchange, each in its own way. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Upgrade } from './spoiling-proxy.ts'

export type Hostility = (request: IncomingMessage, response: ServerResponse, elsewhere: string) => void

const PAGE = '<!doctype html><html><head><title>Welcome</title></head><body>It works!</body></html>'

export const HOSTILITIES = {
  'a page for all': (_, response) => html(response, 200),
  'a page that says not found': (_, response) => html(response, 404),
  'not found as JSON': (_, response) => json(response, 404, '{"error":"no such route"}'),
  'a page that asks for a password': (_, response) => html(response, 401, { 'www-authenticate': 'Basic' }),
  'a redirect elsewhere': ({ url }, response, elsewhere) =>
    void response.writeHead(307, { location: `${elsewhere}${url}` }).end(),
  'a redirect to itself': ({ url }, response) => void response.writeHead(302, { location: url ?? '/' }).end(),
  teapot: (_, response) => json(response, 418, '{"error":"teapot"}'),
  nothing: (_, response) => json(response, 200, ''),
  'no content': (_, response) => void response.writeHead(204).end(),
  null: (_, response) => json(response, 200, 'null'),
  'bytes that are no text': (_, response) =>
    void response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0, 0xc3])),
  'internal error': (_, response) => json(response, 500, '{"error":"internal"}'),
  'unavailable for days': (_, response) => html(response, 503, { 'retry-after': '999999' }),
  'too many requests, whoever asks': (_, response) => json(response, 429, '{}', { 'retry-after': '0' }),
  reset: (_, response) => void response.destroy(),
  'half an answer': (_, response) => {
    response.writeHead(200, { 'content-length': 1000, 'content-type': 'application/json' })
    response.write('{"data":[{"key":"', () => response.destroy())
  },
  'what is not HTTP': (_, response) =>
    void response.socket?.end('\x00\x01\x02 220 smtp.example ESMTP\r\n\r\n'),
  'a status that is not there': (_, response) =>
    void response.socket?.end('HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}'),
  'another protocol': (_, response) => void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  'a body that is not what it says': (_, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is not gzip'),
} satisfies Record<string, Hostility>

/** Answers to all alike, with nothing in them that a reader looks for: an exchange that breaks every rule it can. */
export const EMPTINESSES = {
  'an empty object': (_, response) => json(response, 200, '{}'),
  'a list': (_, response) => json(response, 200, '[[],[null],{"data":7}]'),
  'data of another kind': (_, response) =>
    json(response, 200, '{"data":7,"pagination":"x","error":[],"code":{}}'),
  'rows of another kind': (_, response) =>
    json(
      response,
      200,
      '{"data":[null,1,"a",[],{},{"key":{},"token0":[],"id":null}],"pagination":{"total":"9"}}',
    ),
  'a large body': (_, response) => json(response, 200, `{"data":["${'x'.repeat(1_000_000)}"]}`),
  'a refusal for all': (_, response) => json(response, 400, '{"error":"no"}'),
} satisfies Record<string, Hostility>

/** Keeps the connection and says nothing, but for /health. */
export const SILENCE: Hostility = ({ url }, response) => {
  if (url === '/health') json(response, 200, '{"data":{}}')
}

export type HostileServer = { address: string; asked: () => number; close(): Promise<void> }

const NO_GATEWAY = ({ client }: Pick<Upgrade, 'client'>) =>
  void client.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')

/** Listens on a free port of loopback; `elsewhere` is an address that a hostility may send its caller to. */
export async function startHostileServer(
  hostility: Hostility,
  elsewhere = '',
  gateway: (upgrade: Pick<Upgrade, 'request' | 'client'>) => void = NO_GATEWAY,
): Promise<HostileServer> {
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    request.resume()
    hostility(request, response, elsewhere)
  })
  const sockets = new Set<Duplex>()
  server.on('upgrade', (request, client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    gateway({ request, client })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`, // as: it listens on a port
    asked: () => asked,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function html(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(PAGE)
}

function json(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
