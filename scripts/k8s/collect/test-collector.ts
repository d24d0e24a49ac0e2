import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { type Collector, createCollector } from './create-collector.ts'
import type { RequestCollector } from './request-collector.ts'

export const TEST_TOKEN = 'token-of-the-test'

export function requestAt(url: string, token: string = TEST_TOKEN): RequestCollector {
  return async ({ path, headers, signal }) => {
    const sent = request(`${url}${path}`, {
      headers: { ...headers, 'X-Breakwater-Token': token },
      agent: false,
      ...(signal && { signal }),
    }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage] // as: what the event bears
    return { status: response.statusCode ?? 0, headers: response.headers, body: response }
  }
}

export type TestCollector = Collector & {
  dir: string
  /** Sends the token; the given headers are added or override it. */
  send(path: string, init?: RequestInit): Promise<Response>
  append(name: string, offset: number, bytes: Uint8Array | string): Promise<{ status: number; size: number }>
}

/** With a given folder and port, it simulates a restarted collector. */
export async function startCollector(options: { dir?: string; port?: number } = {}): Promise<TestCollector> {
  const { dir = temporaryFolder(), port = 0 } = options
  const collector = await createCollector({ dir, token: TEST_TOKEN, host: '127.0.0.1', port })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= collector.close()
    return closed
  }
  onTestFinished(close)
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${collector.url}${path}`, {
      ...init,
      headers: { 'X-Breakwater-Token': TEST_TOKEN, ...init.headers },
    })
  return {
    url: collector.url,
    close,
    dir,
    send,
    async append(name, offset, body) {
      const response = await send(`/files/${name}?offset=${offset}`, { method: 'POST', body })
      const { size } = JSON.parse(await response.text())
      return { status: response.status, size }
    },
  }
}
