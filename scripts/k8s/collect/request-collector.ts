import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { visibleLine } from '../../../reports/visible.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { ApiRequest, ApiResponse } from '../api/open-proxy.ts'
import { COLLECTOR_PORT, resultsName } from '../manifests/manifest-parts.ts'
import { TOKEN_HEADER } from './create-collector.ts'

/** Requests a collector's path, `/files/NAME?from=0`, with its token. Rejects if nothing responds. */
export type RequestCollector = (request: Omit<ApiRequest, 'method'>) => Promise<ApiResponse>

export type CollectorRequest = { request: RequestCollector; signal?: AbortSignal | undefined }

export type Problem = {
  text: string
  /** Transient: a dropped connection, or a collector that restarts. */
  passes: boolean
}

/** Applies `use` to the bytes of a successful response; otherwise returns the error. */
export async function requestCollector<T>(
  { request, signal }: CollectorRequest,
  path: string,
  use: (bytes: AsyncIterable<Buffer>) => Promise<T>,
): Promise<{ value: T } | { problem: Problem }> {
  try {
    const response = await request({ path, signal, headers: { 'Accept-Encoding': 'gzip' } })
    if (response.status === 200) return { value: await unpacked(response, use) }
    const said = visibleLine(extractError((await unpacked(response, text)).trim()))
    const passes = response.status >= 500 || PASSING.has(response.status)
    return { problem: { text: `${path}: returned ${response.status}: ${said}`, passes } }
  } catch (error) {
    const said = visibleLine(error instanceof Error ? error.message : String(error))
    return { problem: { text: `${path}: ${said}`, passes: true } }
  }
}

/** Extracts the error from an API server's or collector's JSON; otherwise returns the whole body. */
function extractError(response: string): string {
  try {
    const { message, error } = JSON.parse(response)
    return [message, error].find((words) => typeof words === 'string') ?? response
  } catch {
    return response
  }
}

const PASSING: ReadonlySet<number> = new Set([408, 429])

function unpacked<T>(
  { headers, body }: ApiResponse,
  use: (bytes: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  return headers['content-encoding'] === 'gzip' ? pipeline(body, createGunzip(), use) : pipeline(body, use)
}

export function collectorInPod(
  cluster: Cluster,
  { name, token }: { name: string; token: string },
): RequestCollector {
  return (sent) =>
    cluster.requestPod(resultsName(name), COLLECTOR_PORT, {
      ...sent,
      method: 'GET',
      headers: { ...sent.headers, [TOKEN_HEADER]: token },
    })
}

export function collectorAt({ url, token }: { url: string; token: string }): RequestCollector {
  return async ({ path, headers, signal }) => {
    const sent = request(`${url}${path}`, {
      headers: { ...headers, [TOKEN_HEADER]: token },
      agent: false,
      ...(signal && { signal }),
    }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage] // as: what the event bears
    sent.on('error', (error) => response.destroy(error))
    return { status: response.statusCode ?? 0, headers: response.headers, body: response }
  }
}
