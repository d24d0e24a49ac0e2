import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export type ApiQuestion = { method: string; path: string; contentType: string | undefined; body: string }

export type ApiReply = { status: number; body: unknown }

/** Serves until the test ends. `respond` gets each request; objects are sent as JSON, strings unchanged. */
export async function testApiServer(respond: (question: ApiQuestion) => ApiReply): Promise<{
  socket: string
  requests: ApiQuestion[]
}> {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-api-'))
  const socket = join(folder, 'api')
  const requests: ApiQuestion[] = []
  const listener: RequestListener = async (request, response) => {
    const question = {
      method: request.method ?? '',
      path: request.url ?? '',
      contentType: request.headers['content-type'],
      body: await text(request),
    }
    requests.push(question)
    const { status, body } = respond(question)
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const server = createServer(listener)
  await new Promise<void>((listening) => server.listen(socket, listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { socket, requests }
}
