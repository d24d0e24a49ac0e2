import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { rootCertificates, TLSSocket } from 'node:tls'
import type { Profile } from '../contract/profile.ts'

const ANSWER_TIMEOUT_MS = 5000

export type TargetAnswer = {
  status: number
  contentType: string
  /** Where there is a redirect: to where. */
  location: string | null
  /** As the header Date tells it; null: it does not. Whole seconds. */
  dateMs: number | null
  /** By the clock of this machine. */
  sentMs: number
  answeredMs: number
  tls: { protocol: string; validUntilMs: number } | null
}

/** The addresses by which it is looked whether a target is there. */
export function restAddress({ baseUrl }: Pick<Profile, 'baseUrl'>): string {
  return `${baseUrl.replace(/\/$/, '')}/health`
}

/** The address of the live feed below a profile's `wsUrl`. */
export function feedAddress({ wsUrl }: Pick<Profile, 'wsUrl'>): string {
  return `${wsUrl.replace(/\/$/, '')}/ws`
}

/**
 * Asks a target once, by GET, with the headers of its profile; a ws:// or wss:// address for an upgrade. Follows nothing. Rejects
 * with an error of node:http where nobody answers within 5 s; `reasonOf` words it.
 */
export async function askTarget(
  address: string,
  { profile, ca }: { profile: Pick<Profile, 'headers' | 'origin'>; ca: string | null },
): Promise<TargetAnswer> {
  // Not by fetch, which knows neither upgrades nor other certificates, and refuses some ports that k6 does not.
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
  // Once upgraded, the socket is no longer the request's: it would keep the process, and the target's place for it.
  request.on('upgrade', (_response, socket) => socket.destroy())
  try {
    const [response] = await Promise.race([once(request, 'response'), once(request, 'upgrade')])
    return answerOf(response, sentMs)
  } finally {
    request.on('error', () => {}).destroy()
  }
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-1.3; the key is the one of its example. */
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

function answerOf({ statusCode = 0, headers, socket }: IncomingMessage, sentMs: number): TargetAnswer {
  const dateMs = Date.parse(headers.date ?? '')
  return {
    status: statusCode,
    contentType: headers['content-type'] ?? '',
    location: headers.location ?? null,
    dateMs: Number.isNaN(dateMs) ? null : dateMs,
    sentMs,
    answeredMs: Date.now(),
    tls:
      socket instanceof TLSSocket
        ? {
            protocol: socket.getProtocol() ?? 'TLS',
            validUntilMs: Date.parse(socket.getPeerCertificate().valid_to),
          }
        : null,
  }
}

/** Why a target did not answer, in words. */
export function reasonOf(cause: unknown): string {
  const { name, message, code, errors } = cause as NodeJS.ErrnoException & { errors?: Error[] } // as: an error of node:http
  if (name === 'AbortError') return `no answer in ${ANSWER_TIMEOUT_MS / 1000} s`
  // OpenSSL's own words have numbers and files around them, and a line of their own.
  const [, tls] = /SSL routines:[^:]*:([^:]+)/.exec(message) ?? []
  if (tls !== undefined) return `TLS: ${tls}`
  // A name with several addresses: an error for each, and no message of its own.
  return message || errors?.map((error) => error.message).join(', ') || String(code)
}
