import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { onTestFinished } from 'vitest'
import { projectPath } from '../../scripts/project.ts'

const FOLDER = 'examples/clients/browser'
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

/** Serves browser/, some JSON files beside it and an empty page while the test runs. Returns the port, on loopback. */
export async function servePage(files: Readonly<Record<string, unknown>>): Promise<number> {
  const server = createServer(async ({ url = '/' }, response) => {
    const name = url === '/' ? 'index.html' : url.slice(1)
    if (name === 'empty') return response.setHeader('content-type', 'text/html').end('<!doctype html>')
    if (Object.hasOwn(files, name)) {
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(files[name]))
    }
    const text = await readFile(projectPath(`${FOLDER}/${name}`)).catch(() => undefined)
    response.statusCode = text === undefined ? 404 : 200
    return response.setHeader('content-type', TYPES[extname(name)] ?? 'text/plain').end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port // as: it listens on a port
}
