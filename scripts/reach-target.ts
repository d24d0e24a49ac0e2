import { once } from 'node:events'
import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import { rootCertificates } from 'node:tls'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import type { Profile } from '../contract/profile.ts'

const REACH_TIMEOUT_MS = 5000

/**
 * Makes sure that the target is there, and its feed where a run needs it: that it answers, whatever the answer is; a refusal is for the
 * probes to judge. Throws a BreakwaterError (environment) that names the address.
 */
export async function reachTarget(options: {
  profile: Profile
  /** The profile, as the user named it. */
  file: string
  /** The certificates to trust besides Node's own, as PEM. */
  ca: string | null
  needsFeed: boolean
}): Promise<void> {
  const { profile, file, needsFeed } = options
  const rest = `${profile.baseUrl.replace(/\/$/, '')}/health`
  await answers(rest, {}, options).catch((cause: unknown) => {
    throw new BreakwaterError(`${file}: the target does not answer: GET ${rest}: ${reasonOf(cause)}`, {
      hint: 'Is it running, and is baseUrl right? `breakwater up --profile FILE` starts the stub and writes a profile that fits.',
      exitCode: EXIT.environment,
      cause,
    })
  })
  if (!needsFeed) return
  const feed = `${profile.wsUrl.replace(/\/$/, '')}/ws`
  await answers(feed, UPGRADE, options).catch((cause: unknown) => {
    throw new BreakwaterError(`${file}: the feed does not answer: ${feed}: ${reasonOf(cause)}`, {
      hint: 'Is it running, and is wsUrl right? It is what stands before /ws. The rules ws.* need the feed; --rules selects others.',
      exitCode: EXIT.environment,
      cause,
    })
  })
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-1.3; the key is the one of its example. */
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

/** Not by fetch, which knows neither upgrades nor other certificates, and refuses some ports that k6 does not. */
async function answers(
  address: string,
  headers: Record<string, string>,
  { profile, ca }: { profile: Profile; ca: string | null },
): Promise<void> {
  const url = new URL(address.replace(/^ws/, 'http'))
  const get = url.protocol === 'https:' ? httpsGet : httpGet
  const request = get(url, {
    headers: {
      ...profile.headers,
      ...(profile.origin === null ? {} : { Origin: profile.origin }),
      ...headers,
    },
    ...(ca === null ? {} : { ca: [...rootCertificates, ca] }),
    agent: false,
    signal: AbortSignal.timeout(REACH_TIMEOUT_MS),
  })
  // Once upgraded, the socket is no longer the request's: it would keep the process, and the target's place for it.
  request.on('upgrade', (_response, socket) => socket.destroy())
  try {
    await Promise.race([once(request, 'response'), once(request, 'upgrade')])
  } finally {
    request.on('error', () => {}).destroy()
  }
}

function reasonOf(cause: unknown): string {
  const { name, message, code, errors } = cause as NodeJS.ErrnoException & { errors?: Error[] } // as: an error of node:http
  if (name === 'AbortError') return `no answer in ${REACH_TIMEOUT_MS / 1000} s`
  // A name with several addresses: an error for each, and no message of its own.
  return message || errors?.map((error) => error.message).join(', ') || String(code)
}
