import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { throwIfInterrupted } from '../../io.ts'
import { scratchFailure } from '../../make-folder.ts'
import { logDetail } from '../../progress/detail.ts'

/** An API server on a socket that only this user can open, with the user's own rights. */
export type Proxy = { socket: string; close(): Promise<void> }

/** Longer than kubectl takes to read its files on a busy machine. */
const START_MS = 20_000

/**
 * Stops kubectl and removes the socket's folder when this process exits for any reason, which closes the pipe. `&` also
 * shields kubectl from Ctrl-C, because it is needed until the end.
 */
const UNTIL_CLOSED =
  'exec 3<&0; "$@" & pid=$!; (cat <&3; kill "$pid"; rm -rf -- "$0") > /dev/null 2>&1 & wait "$pid"'

/**
 * Runs `kubectl proxy` on a socket in a folder of mode 0700, so that all of kubectl's authentication methods work.
 * Throws a BreakwaterError: environment if it does not start, interrupted at Ctrl-C.
 */
export async function openProxy(options: {
  command: string
  env: NodeJS.ProcessEnv
  signal?: AbortSignal
}): Promise<Proxy> {
  const { command, env, signal } = options
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-k8s-')).catch((cause: unknown) => {
    throw scratchFailure(cause)
  })
  const socket = join(folder, 'api')
  const child = spawn('sh', ['-c', UNTIL_CLOSED, folder, command, 'proxy', `--unix-socket=${socket}`], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const said: string[] = []
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  child.stdin.on('error', () => {})
  const close = async () => {
    child.stdin.end()
    await gone
    process.off('exit', remove)
    remove()
  }
  const ready = new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, START_MS, false)
    const settle = (isUp: boolean) => {
      clearTimeout(timer)
      resolve(isUp)
    }
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('Starting to serve')) settle(true)
    })
    createInterface({ input: child.stderr }).on('line', (line) => {
      logDetail(`kubectl proxy: ${line}`)
      said.push(line)
    })
    void gone.then(() => settle(false))
    signal?.addEventListener('abort', () => settle(false), { once: true })
  })
  if (await ready) return { socket, close }
  await close()
  if (signal !== undefined) throwIfInterrupted(signal)
  throw new BreakwaterError(`kubectl proxy did not start: ${said.at(-1) ?? 'it printed nothing'}`, {
    hint: `Try it by hand: ${command} proxy --unix-socket=/tmp/kubectl.sock`,
    exitCode: EXIT.environment,
  })
}

export type ApiRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  signal?: AbortSignal | undefined
  /** For the response headers, and between two chunks of the body. */
  timeoutMs?: number
}

export type ApiResponse = { status: number; headers: IncomingHttpHeaders; body: Readable }

const TIMEOUT_MS = 30_000

/** Sends a request through the socket of `openProxy`. Rejects with a node:http error if nothing responds. */
export async function apiRequest(socket: string, options: ApiRequest): Promise<ApiResponse> {
  const { method, path, headers = {}, body, signal, timeoutMs = TIMEOUT_MS } = options
  const sent = request({
    socketPath: socket,
    host: 'localhost',
    method,
    path,
    headers: { ...headers, ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }) },
    agent: false,
    timeout: timeoutMs,
    ...(signal && { signal }),
  })
  sent.on('timeout', () => sent.destroy(new Error(`no response in ${timeoutMs / 1000} s`)))
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage] // as: what the event bears
  sent.on('error', (error) => response.destroy(error))
  return { status: response.statusCode ?? 0, headers: response.headers, body: response }
}

/** Like apiRequest, for short responses: reads the whole body. */
export async function apiText(
  socket: string,
  options: ApiRequest,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const { status, headers, body } = await apiRequest(socket, options)
  return { status, headers, text: await text(body) }
}
