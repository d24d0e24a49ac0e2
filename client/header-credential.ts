import type { Profile, Wallet } from '../contract/profile.ts'
import type { Conduct } from './conduct.ts'
import { at, textAt } from './exchange.ts'
import { signMessage } from './node-ports.ts'
import { attemptUntilFinal } from './retry-wait.ts'
import {
  ExchangeError,
  type ExchangeResponse,
  isSuccess,
  NoResponse,
  type Request,
  type RequestWithRetry,
} from './send.ts'
import { type Credential, keepSession, type SignInPort, signIn } from './session.ts'
import type { Tools } from './time-and-chance.ts'

/** A credential that is sent in headers, because URLs end up in logs. */
export type HeaderCredential = Credential & { headersFor(request: Request): Record<string, string> }

/** For a bot without a wallet, which cannot create another token. */
export function apiTokenCredential(token: string): HeaderCredential {
  const error = 'the API token was rejected: create another one'
  return {
    headersFor: () => ({ authorization: `Bearer ${token}` }),
    version: () => token,
    keepFresh: () => undefined,
    replace: () => Promise.reject(new ExchangeError({ status: 401, body: { error } })),
  }
}

const SIGN_INS_MAX = 5

/** A wallet's session, with cookies in a jar that tabs may share. */
export function walletSession(options: {
  profile: Profile
  wallet: Wallet
  jar: CookieJar
  requestWithRetry: RequestWithRetry
  tools: Tools
  conduct: Conduct
  /** Runs before each sign-in: throws once the client has stopped. */
  throwIfStopped: () => void
}): HeaderCredential {
  const { profile, wallet, jar, requestWithRetry, tools, conduct, throwIfStopped } = options
  const { choices } = profile
  const basePath = new URL(profile.baseUrl).pathname.replace(/\/$/, '')

  const headersFor = ({ method, path }: Pick<Request, 'method' | 'path'>) => {
    const cookie = jar.cookiesFor(basePath + path)
    return {
      ...(cookie !== '' && { cookie }),
      ...(method !== 'GET' && conduct.changeHeaders(jar.csrfToken())),
    }
  }
  const withHeaders = (request: Request): Request => ({ ...request, headers: headersFor(request) })
  const take = ({ headers, body }: ExchangeResponse) => {
    const csrfToken = at(body, choices.verify.csrfToken)
    jar.take(headers, typeof csrfToken === 'string' ? csrfToken : undefined)
  }

  const { random, nowMs, pause } = tools
  const port: SignInPort<ExchangeResponse | undefined> = {
    async challenge(request) {
      const challenge = await requestWithRetry(() => withHeaders(request))
      if (!isSuccess(challenge)) throw new ExchangeError(challenge)
      return textAt(challenge.body, 'data.message')
    },
    sign: (message) => signMessage(conduct.messageToSign(message), wallet, choices.signature),
    verify: (request) =>
      requestWithRetry(() => withHeaders(request), { attemptsMax: 1 }).catch(undefinedOnNoResponse),
  }
  const signInOrThrow = async () => {
    throwIfStopped()
    const response = await attemptUntilFinal(() => signIn(wallet.address, port), {
      waitAfter(response, attempt) {
        if (attempt + 1 === SIGN_INS_MAX || (response && isSuccess(response))) return undefined
        const request = { method: 'POST', repeatable: true } as const
        return conduct.retryDelayMs({ request, response, attempt, random, nowMs: nowMs() })
      },
      pause,
    })
    if (response === undefined) throw new NoResponse('POST /auth/verify got no response')
    if (!isSuccess(response)) throw new ExchangeError(response)
    take(response)
  }

  const refresh = async () => {
    let sent = 0
    const make = () => {
      sent = jar.version()
      return withHeaders({ method: 'POST', repeatable: true, path: '/auth/refresh' })
    }
    const response = await requestWithRetry(make).catch(undefinedOnNoResponse)
    if (response && isSuccess(response) && jar.version() === sent) take(response)
    return response?.status ?? 0
  }

  const { version, isEmpty } = jar
  const { afterLostRefresh } = conduct
  return {
    headersFor,
    ...keepSession({ port: { version, isEmpty, refresh, signIn: signInOrThrow }, tools, afterLostRefresh }),
  }
}

function undefinedOnNoResponse(error: unknown): undefined {
  if (!(error instanceof NoResponse)) throw error
}

/** The session cookies and the CSRF token, as in a browser: all tabs share one jar. */
export type CookieJar = {
  cookiesFor(path: string): string
  csrfToken(): string | undefined
  isEmpty(): boolean
  /** Increases with each sign-in and each refresh. */
  version(): number
  /** Stores the result of a sign-in or a refresh. Keeps the CSRF token if the response has no new one. */
  take(headers: Headers, csrfToken: string | undefined): void
  clear(): void
}

type Cookie = { value: string; path: string }

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, Cookie>()
  let csrf: string | undefined
  let version = 0

  return {
    cookiesFor: (path) =>
      [...cookies]
        .filter(([, cookie]) => isWithin(path, cookie.path))
        .map(([name, { value }]) => `${name}=${value}`)
        .join('; '),
    csrfToken: () => csrf,
    isEmpty: () => cookies.size === 0,
    version: () => version,
    take(headers, csrfToken) {
      for (const line of headers.getSetCookie()) {
        const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? []
        const path = /;\s*path=([^;]*)/i.exec(attributes)?.[1] ?? '/'
        if (value === '') cookies.delete(name)
        else cookies.set(name, { value, path })
      }
      csrf = csrfToken ?? csrf
      version++
    },
    clear() {
      cookies.clear()
      csrf = undefined
      version++
    },
  }
}

/** RFC 6265, section 5.1.4. */
function isWithin(path: string, of: string): boolean {
  return path === of || path.startsWith(of.endsWith('/') ? of : `${of}/`)
}
