import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { rootCertificates } from 'node:tls'
import { retryDelayMs } from '../../client/conduct.ts'
import { at, textAt } from '../../client/exchange.ts'
import { NODE_TOOLS, signMessage } from '../../client/node-ports.ts'
import {
  createRequestWithRetry,
  type ExchangeResponse,
  keepNoResponse,
  NoResponse,
  type Request,
} from '../../client/send.ts'
import { signIn } from '../../client/session.ts'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Mix } from '../../contract/mix.ts'
import type { Profile, Wallet } from '../../contract/profile.ts'
import { withoutProfileSecrets } from '../../contract/profile-secrets.ts'
import { beyondBounds } from '../../contract/response-bounds.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { Io } from '../io.ts'
import { explainError } from './explain-target.ts'
import { fetchJson, readBounded } from './read-bounded.ts'

/** One per wallet, because rate limits may apply per credential. Users who need more must provide them. */
const TOKENS_MAX = 5
/** The shortest lifetime that the interface allows, for tokens that could not be revoked. */
const BODY = { name: 'breakwater load', expires_in_days: 1 }

/** Why no API token can be created for a target; undefined: one can. */
export function whyNoOwnTokens(
  { profile, wallets }: Pick<Target, 'profile' | 'wallets'>,
  writesRefused: string | null,
): string | undefined {
  if (writesRefused !== null) return writesRefused
  if (profile.choices.verify.csrfToken === null) return 'the profile does not set choices.verify.csrfToken'
  return usable({ profile, wallets }).length === 0 ? 'no wallet with access can sign' : undefined
}

/** Wallets with access that can sign; administrators are left out. */
export function usable({ profile, wallets }: Pick<Target, 'profile' | 'wallets'>): Wallet[] {
  return wallets.filter(
    ({ hasAccess, admin, privateKeyJwk }) =>
      hasAccess && !admin && (privateKeyJwk !== undefined || profile.credentials.signer !== null),
  )
}

type OwnToken = { id: string; token: string; wallet: Wallet }

/** A target with tokens created for it. Always call `revoke`. */
export type LentTokens = { target: Target; revoke(): Promise<void> }

/** Requests per token: sign-in, creation and sign-out, and the same to revoke it. */
export const REQUESTS_PER_TOKEN = 8

/**
 * Creates API tokens for a target without any, if clients of its mix need them: one per wallet, at most `most`. Throws
 * a BreakwaterError (environment) if the target creates none.
 */
export async function lendOwnTokens(
  { target, mix }: { target: Target; mix: Mix | null },
  { io, most = TOKENS_MAX }: { io: Io; most?: number },
): Promise<LentTokens> {
  const needsTokens = mix?.clients.some(({ credential }) => credential === 'api-token') ?? false
  const wallets = needsTokens && target.apiTokens.length === 0 ? usable(target).slice(0, most) : []
  const made: OwnToken[] = []
  for (const wallet of wallets) {
    try {
      made.push(await makeToken(target, wallet))
    } catch (error) {
      if (made.length === 0) throw error
      break
    }
  }
  if (made.length > 0) io.log(`created API tokens for the mix, to be revoked at the end: ${made.length}`)
  return {
    target: made.length === 0 ? target : { ...target, apiTokens: made.map(({ token }) => token) },
    async revoke() {
      for (const token of made) await revoke(target, token, io)
    },
  }
}

async function makeToken({ profile }: Target, wallet: Wallet): Promise<OwnToken> {
  try {
    return await withWalletSession(profile, wallet, async (session) => {
      const body = await session({ method: 'POST', path: '/api-tokens', body: BODY })
      return { id: textAt(body, 'data.id'), token: textAt(body, 'data.token'), wallet }
    })
  } catch (cause) {
    const { env } = profile.credentials.apiTokens
    throw new BreakwaterError(`could not create an API token for the mix: ${(cause as Error).message}`, {
      hint: `Set ${env} to API tokens of the target, or use a mix without clients that need one.`,
      exitCode: EXIT.environment,
      cause,
    })
  }
}

/** A failure is only reported: the measurements stay valid. */
async function revoke({ profile }: Target, { id, wallet }: OwnToken, io: Io): Promise<void> {
  const path = `/api-tokens/${encodeURIComponent(id)}`
  try {
    await withWalletSession(profile, wallet, async (session) => {
      const body = await session({ method: 'DELETE', path, repeatable: true })
      if (at(body, 'data.revoked') === false) throw new Error(`DELETE ${path} -> revoked: false`)
    })
  } catch (error) {
    io.stderr(
      `breakwater: the API token ${id} of the wallet ${wallet.address} was not revoked: ${(error as Error).message}\n` +
        '  Revoke it manually; it expires in a day.\n',
    )
  }
}

const TIMEOUT_MS = 10_000
const CONDUCT = { retryDelayMs, attemptsMax: 4 }

/** A signed-in wallet: sends a request and returns the body of a success. Throws with any other response. */
type WalletSession = (request: Omit<Request, 'headers'>) => Promise<unknown>

/** Signs in, passes the session on and always ends it. Throws an error that names the failed request. */
export async function withWalletSession<Result>(
  profile: Profile,
  wallet: Wallet,
  use: (session: WalletSession) => Promise<Result>,
): Promise<Result> {
  const { send: session } = await openWalletSession(profile, wallet)
  try {
    return await use(session)
  } finally {
    // It expires after 15 minutes anyway.
    await session({ method: 'POST', path: '/auth/logout', repeatable: true }).catch(() => {})
  }
}

/** Signs in. The caller logs out. Throws an error that names the failed request. */
export async function openWalletSession(
  profile: Profile,
  wallet: Wallet,
): Promise<{ verified: ExchangeResponse; send: WalletSession }> {
  const request = createRequestOrThrow(profile)
  const verified = await signIn(wallet.address, {
    challenge: async (wanted) => textAt((await request(wanted)).body, 'data.message'),
    sign: (message) => signFor(profile, wallet, message),
    verify: request,
  })
  const csrf = at(verified.body, profile.choices.verify.csrfToken)
  const headers = {
    cookie: verified.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
    ...(typeof csrf === 'string' && { 'x-csrf-token': csrf }),
  }
  return { verified, send: async (call) => (await request({ ...call, headers })).body }
}

/** Throws an error if the wallet has no key and the signer returns no signature. */
export async function signFor(
  { choices, credentials }: Profile,
  wallet: Wallet,
  message: string,
): Promise<string> {
  if (credentials.signer === null) return signMessage(message, wallet, choices.signature)
  const response = await fetchJson(credentials.signer, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: wallet.address, message }),
    timeoutMs: TIMEOUT_MS,
  })
  if (!response.ok) throw new Error(`the signer returned ${response.status}`)
  return textAt(response.body, 'signature')
}

/** Returns a success. Throws an error that names the failed request. */
function createRequestOrThrow(profile: Profile): (request: Request) => Promise<ExchangeResponse> {
  const sendOnce = (request: Request) =>
    send(profile, request).catch((cause: unknown) => {
      throw new NoResponse('no response', { cause })
    })
  const requestWithRetry = createRequestWithRetry({ send: sendOnce, tools: NODE_TOOLS, conduct: CONDUCT })
  return async (request) => {
    const response = await requestWithRetry(() => request).catch(keepNoResponse)
    if (!(response instanceof NoResponse) && response.status >= 200 && response.status < 300) return response
    throw new Error(`${request.method} ${request.path} -> ${describe(response, profile)}`)
  }
}

/** Only the body of an error: others may hold a secret. */
function describe(response: ExchangeResponse | NoResponse, profile: Profile): string {
  const { ca } = profile
  if (response instanceof NoResponse) {
    const seen = { field: 'baseUrl', hasCa: ca !== null, timeoutMs: TIMEOUT_MS } as const
    return `no answer: ${explainError(response.cause, seen).saw}`
  }
  const error = at(response.body, 'error')
  return visibleLine(
    typeof error === 'string'
      ? `${response.status} ${withoutProfileSecrets(error, profile)}`
      : String(response.status),
  )
}

async function send({ baseUrl, headers, origin, ca }: Profile, call: Request): Promise<ExchangeResponse> {
  const url = `${baseUrl.replace(/\/$/, '')}${call.path}`
  const open = url.startsWith('https:') ? httpsRequest : httpRequest
  const body = call.body === undefined ? '' : JSON.stringify(call.body)
  const request = open(url, {
    method: call.method,
    headers: {
      ...headers,
      ...(origin === null ? {} : { origin }),
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
      'content-length': Buffer.byteLength(body),
      ...call.headers,
    },
    ...(ca === null ? {} : { ca: [...rootCertificates, await readFile(ca, 'utf8')] }),
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  try {
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage] // as: what the event bears
    return {
      status: response.statusCode ?? 0,
      headers: readHeaders(response),
      body: parseJson(await readBounded(response)),
    }
  } finally {
    request.on('error', () => {}).destroy()
  }
}

function readHeaders({ headers }: IncomingMessage): Headers {
  const read = new Headers()
  for (const name of ['retry-after', 'date', 'set-cookie'])
    for (const value of [headers[name] ?? []].flat()) read.append(name, value)
  return read
}

function parseJson(body: string): unknown {
  if (beyondBounds(body) !== undefined) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
