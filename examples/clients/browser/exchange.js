/**
 * An exchange client for web pages. The session is in cookies that scripts cannot read; the CSRF token stays
 * in memory. `choices` come from the target profile: names that the specification leaves open.
 *
 * The browser sends the cookies only if page and exchange are same-site: same scheme and host name, any port.
 */

const ATTEMPTS_MAX = 5
/** How long to wait for another tab's refresh before sending the request again anyway. */
const WINNER_MS_MAX = 5000

/** An unsuccessful response: its status, and `code` and `ref` of the body. */
export class ExchangeError extends Error {
  constructor(status, { error, code = null, ref = null }) {
    super(`${status} ${error}`)
    Object.assign(this, { status, code, ref })
  }
}

/**
 * Creates a client of one exchange for this page; all tabs of its origin share the session. Its methods throw
 * ExchangeError on unsuccessful responses.
 */
export function createExchange({ baseUrl, choices, pause = sleep }) {
  let csrfToken
  let refreshing
  const tabs = new BroadcastChannel(`session at ${baseUrl}`)
  tabs.addEventListener('message', ({ data }) => {
    csrfToken = data.csrfToken
  })

  const send = (path, { method = 'GET', body, ...init } = {}) => {
    const headers = { ...init.headers }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (method !== 'GET' && csrfToken !== undefined) headers['x-csrf-token'] = csrfToken
    return fetch(baseUrl + path, {
      credentials: 'include',
      ...init,
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  /**
   * Sends a request; waits and retries a bounded number of times if the exchange says so. Returns the body;
   * throws ExchangeError.
   */
  const ask = async (path, options) => {
    for (let attempt = 1; ; attempt++) {
      const response = await send(path, options)
      if (response.ok) return response.json()
      const failure = new ExchangeError(response.status, await errorBody(response))
      const delayMs = waitMs(response)
      if (delayMs === undefined || attempt === ATTEMPTS_MAX) throw failure
      await pause(delayMs)
    }
  }

  /** Like `ask`, with the session: refreshes an expired one and repeats the request. */
  const request = async (path, options) => {
    try {
      return await ask(path, options)
    } catch (failure) {
      if (failure.status !== 401) throw failure
    }
    await refresh()
    return ask(path, options)
  }

  /**
   * Refreshes once at a time in this tab. A 409 means that another tab is refreshing, and this tab will share
   * its cookies.
   */
  const refresh = () => {
    refreshing ??= refreshNow().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  const refreshNow = async () => {
    // Listen before sending: the winner may finish before the loser gets its 409.
    const winner = new Promise((done) => tabs.addEventListener('message', done, { once: true }))
    try {
      take(await ask('/auth/refresh', { method: 'POST' }))
    } catch (failure) {
      if (failure.status !== 409) throw failure
      await Promise.race([winner, sleep(WINNER_MS_MAX)])
    }
  }
  const take = (grant) => {
    csrfToken = at(grant, choices.verify.csrfToken)
    tabs.postMessage({ csrfToken })
    return grant
  }

  return {
    request,
    /** After a page reload the cookies still exist, but the CSRF token does not. */
    resume: refresh,
    /**
     * `wallet` is an entry of the profile's wallets file: the address, and the key if the page may have it.
     */
    async signIn({ address, privateKeyJwk }) {
      const { data } = await ask('/auth/challenge', { method: 'POST', body: { address } })
      const signature = await sign(data.message, { privateKeyJwk, ...choices.signature })
      return take(await ask('/auth/verify', { method: 'POST', body: { address, signature } }))
    },
    async signOut() {
      await request('/auth/logout', { method: 'POST' })
      csrfToken = undefined
    },
    /** Valid for one authenticate frame, for 60 seconds. */
    ticket: async () => at(await request('/auth/ws-ticket'), choices.wsTicket.ticket),
  }
}

/** Returns the value at a dotted path of a body. */
export function at(body, path) {
  return path.split('.').reduce((value, name) => value?.[name], body)
}

/** Returns the value at a path of a feed event. The profile has one path for all events, or one for each type. */
export function atEvent(event, paths) {
  return at(event, typeof paths === 'string' ? paths : (paths[event.type] ?? paths['*']))
}

/** A proxy may respond without an error body. */
async function errorBody(response) {
  const body = await response.json().catch(() => ({}))
  return { error: response.statusText, ...body }
}

function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms))
}

const ENCODERS = {
  hex: (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
  base64: (bytes) => btoa(String.fromCharCode(...bytes)),
  base64url: (bytes) => ENCODERS.base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
}

/**
 * Signs the exact UTF-8 bytes of a message: never trim, normalize or rebuild it. Real wallets sign
 * themselves; the demo wallets have P-256 keys. Needs a secure context: https, or a page on the loopback.
 */
export async function sign(message, { privateKeyJwk, scheme, encoding }) {
  if (scheme !== 'ecdsa-p256-sha256') throw new Error(`this page cannot sign with ${scheme}`)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', privateKeyJwk, algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(message))
  return ENCODERS[encoding](new Uint8Array(signature))
}

/**
 * Returns the wait that the exchange requests before a retry: Retry-After in seconds, or as a date by the
 * exchange's clock. Undefined without that header. A page sees both headers only if CORS exposes them.
 */
export function waitMs({ status, headers }) {
  if (status !== 429 && status !== 503) return undefined
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const delayMs = Date.parse(text) - Date.parse(headers.get('date'))
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs)
}
