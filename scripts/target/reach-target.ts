import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import { EVERYBODYS_READ, whyNoExchange } from '../../contract/response-bounds.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { findControlToken } from '../control-api.ts'
import type { Io } from '../io.ts'
import { explainPage, explainUpgrade } from './explain-target.ts'
import { ENCODINGS, readBounded, TooLong } from './read-bounded.ts'
import { feedAddress, requestTarget, restAddress, type TargetResponse } from './request-target.ts'
import { caPath, parseApiTokens, readCertificates, readProfile, readWallets } from './target-files.ts'

/** A proxy may return an occasional 502: only repeated ones end a run. */
const TRIES = 3
const PAUSE_MS = 500

/**
 * Checks that the target responds in its protocol, does not send HTML instead of JSON, and, if the run needs it, that
 * its WebSocket accepts an upgrade or is busy. Probes judge everything else. Throws a BreakwaterError (environment)
 * with the address, the observation and the fix.
 */
export async function reachTarget(options: {
  profile: Profile
  file: string
  ca: string | null
  needsFeed: boolean
}): Promise<void> {
  const { profile, file, needsFeed } = options
  const rest = restAddress(profile)
  const response = await requestTarget(rest, options).catch((cause: unknown) => {
    throw unreachable(`${file}: the target does not respond: GET ${rest}`, cause, {
      hint: 'Check that it is running and that baseUrl is right. `breakwater stub --profile FILE` starts the stub and writes a matching profile.',
    })
  })
  const page = explainPage(response)
  // The interface specifies the token list, but not /health.
  if (
    page &&
    explainPage(await requestTarget(`${profile.baseUrl.replace(/\/$/, '')}${EVERYBODYS_READ}`, options))
  )
    throw notTheExchange(`${file}: not an exchange: GET ${rest}`, page)
  if (!needsFeed) return
  const feed = feedAddress(profile)
  const upgrade = await requestFeed(feed, options).catch((cause: unknown) => {
    throw unreachable(`${file}: the WebSocket does not respond: ${feed}`, cause, {
      hint: 'Check that it is running and that wsUrl is right: the URL without /ws. To skip the rules ws.*, which need it, use `smoke --rules`.',
    })
  })
  const refusal = explainUpgrade(upgrade)
  if (refusal) throw notTheExchange(`${file}: the WebSocket does not open: ${feed}`, refusal)
}

async function requestFeed(
  feed: string,
  options: { profile: Profile; ca: string | null },
): Promise<TargetResponse> {
  for (let tried = 1; ; tried++) {
    const response = await requestTarget(feed, options)
    if (response.status < 500 || tried === TRIES) return response
    await wait(PAUSE_MS)
  }
}

function unreachable(what: string, cause: unknown, { hint }: { hint: string }): BreakwaterError {
  if (!(cause instanceof BreakwaterError)) throw cause
  return new BreakwaterError(`${what}: ${cause.message}`, {
    hint: cause.hint ?? hint,
    exitCode: EXIT.environment,
    cause,
  })
}

function notTheExchange(what: string, { saw, remedy }: { saw: string; remedy: string }): BreakwaterError {
  return new BreakwaterError(`${what}: ${saw}`, { hint: remedy, exitCode: EXIT.environment })
}

/**
 * Reads a target profile with its wallets and API tokens, and checks that the target responds. Throws a
 * BreakwaterError: usage for a bad file or a target that does not allow a run, environment for one that does not
 * respond.
 */
export async function loadTarget(
  file: string,
  {
    io,
    needsFeed,
    reach = true,
    check,
  }: {
    io: Io
    needsFeed: boolean
    /** The target must be reachable from this machine; false if others send the load. */
    reach?: boolean
    /** Checks permissions and confirmations before anything is sent. */
    check: (profile: Profile) => void
  },
): Promise<Target> {
  const from = await readProfile(file, io)
  const { profile } = from
  check(profile)
  const wallets = await readWallets(from)
  const ca = await readCertificates(from)
  if (reach) await reachTarget({ profile, file, ca, needsFeed })
  return {
    profile: { ...profile, ca: caPath(from) },
    wallets,
    apiTokens: parseApiTokens(profile, io.env),
    controlToken: reach ? await findControlToken(profile, { env: io.env, file }) : null,
  }
}

const SERVED_TIMEOUT_MS = 5000

/**
 * Checks that any response comes from an exchange; without one, the load judges. Throws a BreakwaterError (environment)
 * with the address.
 */
export async function mustServe({ profile }: { profile: Profile }): Promise<void> {
  const address = `${profile.baseUrl.replace(/\/$/, '')}${EVERYBODYS_READ}`
  const problem = await requestTokens(address, profile).then(whyNoExchange, (error) =>
    error instanceof TooLong ? error.message : undefined,
  )
  if (problem === undefined) return
  throw new BreakwaterError(`GET ${address}: ${problem}: that is no exchange`, {
    hint: 'Check baseUrl of the profile, including the path before the routes. The load would only measure this response.',
    exitCode: EXIT.environment,
  })
}

type Reply = { status: number; body: string }

async function requestTokens(address: string, { headers, origin, ca }: Profile): Promise<Reply> {
  const get = address.startsWith('https:') ? httpsGet : httpGet
  const request = get(address, {
    headers: {
      ...headers,
      ...(origin === null ? {} : { Origin: origin }),
      // Overrides the profile's.
      'Accept-Encoding': ENCODINGS,
    },
    ...(ca === null ? {} : { ca: [...rootCertificates, await readFile(ca, 'utf8')] }),
    agent: false,
    signal: AbortSignal.timeout(SERVED_TIMEOUT_MS),
  })
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage] // as: what the event bears
    return { status: response.statusCode ?? 0, body: await readBounded(response) }
  } finally {
    request.on('error', () => {}).destroy()
  }
}
