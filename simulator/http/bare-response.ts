import { maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../clock.ts'

export type BareResponse = {
  status: number
  error: string
  code: string | null
  headers?: Record<string, string>
}

/** How long a peer may keep sending after its response, in real time. */
const LINGER_MS = 2000

/**
 * Sends an error response on a bare connection, for upgrades and invalid HTTP, then ends the connection. It has no ref,
 * since it is not logged. Later input is read and dropped for a while: otherwise the system would reset the connection
 * before the peer reads the response (RFC 9112, section 9.6).
 */
export function sendBareResponse(stream: Duplex, response: BareResponse, { clock }: { clock: Clock }): void {
  const { status, error, code, headers = {} } = response
  const body = JSON.stringify({ error, code, ref: null })
  const fields = Object.entries({
    Date: new Date(clock.nowMs()).toUTCString(),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  })
  dropInput(stream)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields.map((field) => field.join(': '))]
  stream.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * The response to a connection that Node's parser gave up on (`clientError`); `code` is that of a malformed request.
 */
export function describeBrokenHttp(
  error: Error,
  malformed: { error: string; code: string | null },
): BareResponse {
  const { status, detail } = ('code' in error && BROKEN[String(error.code)]) || NOT_HTTP
  return { status, error: `${malformed.error}: ${detail}`, code: malformed.code }
}

type Broken = { status: number; detail: string }

const NOT_HTTP: Broken = { status: 400, detail: 'not HTTP' }

/** Keys are error codes of Node. */
const BROKEN: Readonly<Record<string, Broken>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: `headers over ${maxHeaderSize} bytes` },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'chunk extensions too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'the request was not completed in time' },
}

function dropInput(stream: Duplex): void {
  stream.removeAllListeners('data')
  stream.on('data', () => {}) // a second listener makes Node's parser release the connection
  stream.on('error', () => stream.destroy()) // the peer may have gone
  stream.once('end', () => stream.destroy())
  const timer = setTimeout(() => stream.destroy(), LINGER_MS)
  stream.once('close', () => clearTimeout(timer))
}
