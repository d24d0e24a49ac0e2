import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { fileFailure } from '../../../contract/file-failure.ts'
import { hostInUrl } from '../../../contract/host-in-url.ts'
import { byteBudget } from './byte-budget.ts'
import { type Answer, type Asked, COLLECTOR_ROUTES, refusal } from './collector-routes.ts'
import { openFileStore } from './open-file-store.ts'
import { isToken, TOKEN_HEADER } from './token.ts'

export type Collector = {
  /** Without a slash at its end. */
  url: string
  /** Cuts every connection, and waits until nothing is written any more. */
  close(): Promise<void>
}

/** Bodies that are held at once, while many runners catch up: the others wait. */
const HELD_MAX_BYTES = 32 << 20

/** Of Node's servers. An append has to come within a minute; a connection is kept for the next one. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 75_000 }

/**
 * Serves the files of a folder, which exists, at an address of this machine; port 0 is any that is free. Who appends or reads
 * has to name the token. Throws what node:net throws where it cannot listen there.
 */
export async function createCollector(options: {
  dir: string
  token: string
  host: string
  port: number
}): Promise<Collector> {
  const { dir, token, host, port } = options
  const context = { store: openFileStore(dir), budget: byteBudget(HELD_MAX_BYTES), token }
  const underWay = new Set<Promise<void>>()
  const server = createServer(TIMEOUTS, (request, response) => {
    const served = serve(request, response, context).finally(() => underWay.delete(served))
    underWay.add(served)
  })
  server.listen({ host, port })
  await once(server, 'listening')
  return {
    url: `http://${hostInUrl(host)}:${(server.address() as AddressInfo).port}`, // as: it listens on a port, not on a pipe
    async close() {
      await closeServer(server)
      await Promise.all(underWay)
    },
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

type Context = Pick<Asked, 'store' | 'budget'> & { token: string }

/** Never throws: what a peer does, or the disk, ends no other request. */
async function serve(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  try {
    await send(request, response, await answerTo(request, context).catch(failed))
  } catch {
    // The peer has gone, or the file cannot be read on: it sees that the answer is cut short.
    response.destroy()
  }
}

async function answerTo(request: IncomingMessage, { store, budget, token }: Context): Promise<Answer> {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const matching = COLLECTOR_ROUTES.filter((route) => route.path.test(path))
  const route = matching.find(({ method }) => method === request.method)
  if (!route?.open && !isToken(request.headers[TOKEN_HEADER], token))
    return refusal(401, `${TOKEN_HEADER}: the collector has another token`)
  if (route === undefined)
    return matching.length === 0
      ? refusal(404, 'there is no such path')
      : refusal(405, `${request.method} is not for this path`)
  const name = decoded(route.path.exec(path)?.[1] ?? '')
  return route.answer({ request, name, query: new URLSearchParams(query), store, budget })
}

/** What is no encoded text is no name either, and refused as such. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Of the disk: the first two are over when somebody has made room. */
function failed(error: NodeJS.ErrnoException): Answer {
  const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(error.code ?? '')
  return refusal(full ? 507 : 500, fileFailure(error))
}

async function send(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  // What is left of a body that nobody wanted; a minute ends that too.
  request.resume()
  if ('json' in answer) {
    response.writeHead(answer.status, { 'Content-Type': 'application/json' })
    response.end(`${JSON.stringify(answer.json)}\n`)
    return
  }
  response.setHeader('Content-Type', 'application/octet-stream')
  response.setHeader('X-Breakwater-Size', answer.size)
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return pipeline(answer.bytes, response)
  response.setHeader('Content-Encoding', 'gzip')
  // Series are much the same from line to line: the quickest way makes a tenth of them too.
  await pipeline(answer.bytes, createGzip({ level: constants.Z_BEST_SPEED }), response)
}
