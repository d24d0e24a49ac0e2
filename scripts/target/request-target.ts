import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { connect, rootCertificates, TLSSocket } from 'node:tls'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import { type AddressField, explainError, explainTls } from './explain-target.ts'

const ANSWER_TIMEOUT_MS = 5000

export type TargetResponse = {
  status: number
  contentType: string
  location: string | null
  /** From the Date header, in whole seconds; null: missing. */
  dateMs: number | null
  sentMs: number
  respondedMs: number
  /** `validUntilMs`: expiry of the certificate; null: unknown. */
  tls: { protocol: string; validUntilMs: number | null } | null
}

export function restAddress({ baseUrl }: Pick<Profile, 'baseUrl'>): string {
  return `${baseUrl.replace(/\/$/, '')}/health`
}

/** The WebSocket URL below a profile's `wsUrl`. */
export function feedAddress({ wsUrl }: Pick<Profile, 'wsUrl'>): string {
  return `${wsUrl.replace(/\/$/, '')}/ws`
}

/**
 * Sends one GET with the profile's headers; for ws:// and wss://, an upgrade. Follows no redirect. Throws a
 * BreakwaterError (environment) with the cause if nothing responds within 5 s, or not in the URL's protocol.
 */
export async function requestTarget(
  address: string,
  options: { profile: Pick<Profile, 'headers' | 'origin'>; ca: string | null; field?: AddressField },
): Promise<TargetResponse> {
  const { ca, field = address.startsWith('ws') ? 'wsUrl' : 'baseUrl' } = options
  const fail = ({ saw, remedy }: { saw: string; remedy?: string }, cause?: unknown) =>
    new BreakwaterError(saw, { ...(remedy && { hint: remedy }), exitCode: EXIT.environment, cause })
  const isPlain = /^(http|ws):/.test(address)
  try {
    const response = await requestOnce(address, options)
    if (isPlain && response.status === 400 && (await speaksTls(address))) throw fail(explainTls(field))
    return response
  } catch (cause) {
    if (cause instanceof BreakwaterError) throw cause
    if (
      isPlain &&
      BROKEN_OFF.test(String((cause as NodeJS.ErrnoException).code)) &&
      (await speaksTls(address))
    )
      throw fail(explainTls(field), cause)
    throw fail(explainError(cause, { field, hasCa: ca !== null, timeoutMs: ANSWER_TIMEOUT_MS }), cause)
  }
}

/** How TLS servers reject plain text: a reset connection, or bytes that are not HTTP. */
const BROKEN_OFF = /^(ECONNRESET|EPIPE|HPE_\w+)$/

/** Tries a TLS handshake with any peer and sends nothing else. */
async function speaksTls(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: Number(port || 80),
    rejectUnauthorized: false,
    timeout: ANSWER_TIMEOUT_MS,
  })
  try {
    await Promise.race([once(socket, 'secureConnect'), once(socket, 'timeout').then(() => Promise.reject())])
    return true
  } catch {
    return false
  } finally {
    socket.on('error', () => {}).destroy()
  }
}

async function requestOnce(
  address: string,
  { profile, ca }: { profile: Pick<Profile, 'headers' | 'origin'>; ca: string | null },
): Promise<TargetResponse> {
  // Not fetch, which supports neither upgrades nor custom certificates, and blocks some ports that k6 allows.
  const url = new URL(address.replace(/^ws/, 'http'))
  const get = url.protocol === 'https:' ? httpsGet : httpGet
  const sentMs = Date.now()
  const request = get(url, {
    headers: {
      ...profile.headers,
      ...(profile.origin === null ? {} : { Origin: profile.origin }),
      ...(address.startsWith('ws') ? UPGRADE : {}),
    },
    ...(ca === null ? {} : { ca: [...rootCertificates, ca] }),
    agent: false,
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  })
  try {
    return await new Promise((resolve, reject) => {
      request.on('error', reject)
      // Read at once: a closed socket no longer has its certificate.
      request.on('response', (response) => resolve(readResponse(response, sentMs)))
      request.on('upgrade', (response, socket) => {
        resolve(readResponse(response, sentMs))
        // An upgraded socket is detached from its request: it would keep this process running and occupy a slot of the
        // target.
        socket.destroy()
      })
    })
  } finally {
    request.on('error', () => {}).destroy()
  }
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-1.3; the key is its example's. */
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

function readResponse({ statusCode = 0, headers, socket }: IncomingMessage, sentMs: number): TargetResponse {
  const dateMs = Date.parse(headers.date ?? '')
  return {
    status: statusCode,
    contentType: headers['content-type'] ?? '',
    location: headers.location ?? null,
    dateMs: Number.isNaN(dateMs) ? null : dateMs,
    sentMs,
    respondedMs: Date.now(),
    tls: socket instanceof TLSSocket ? describeTls(socket) : null,
  }
}

function describeTls(socket: TLSSocket): TargetResponse['tls'] {
  // Whatever its type says: null after the socket has closed, and without a date if the session was resumed.
  const certificate: { valid_to?: string } | null = socket.getPeerCertificate()
  const validUntilMs = Date.parse(certificate?.valid_to ?? '')
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    validUntilMs: Number.isNaN(validUntilMs) ? null : validUntilMs,
  }
}
