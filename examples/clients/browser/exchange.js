/**
 * A client of the exchange for web pages. The session lives in cookies that no script can read; the CSRF token is kept
 * in memory.
 * `choices` are those of the target profile: names that the interface leaves open.
 *
 * The browser sends the cookies only where page and exchange are of one site: same scheme, same host name, any port.
 */
import { sign } from './sign.js'
import { waitMs } from './wait-ms.js'

const ATTEMPTS_MAX = 5
/** How long another tab may take over its refresh before this one tries its request again regardless. */
const WINNER_MS_MAX = 5000

/** An answer that is no success: the body's `code` and `ref`, and the status. */
export class ExchangeError extends Error {
  constructor(status, { error, code = null, ref = null }) {
    super(`${status} ${error}`)
    Object.assign(this, { status, code, ref })
  }
}

/** A client of one exchange for this page; all tabs of its origin share the session. Its calls throw ExchangeError where an answer is no success. */
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

  /** Waits where the exchange asks for it, a bounded number of times. Returns the body; throws ExchangeError. */
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

  /** As ask, with the session: where it has run out, refreshes it and asks again. */
  const request = async (path, options) => {
    try {
      return await ask(path, options)
    } catch (failure) {
      if (failure.status !== 401) throw failure
    }
    await refresh()
    return ask(path, options)
  }

  /** One at a time in this tab. A 409 says that another tab is at it, whose cookies will be this tab's too. */
  const refresh = () => {
    refreshing ??= refreshNow().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  const refreshNow = async () => {
    // Listens from before the request, as the winner may be done before the loser hears of it.
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
    /** After the page was loaded again: the cookies are still there, the CSRF token is not. */
    resume: refresh,
    /** `wallet` as in the profile's file of wallets: its address, and its key where the page may hold one. */
    async signIn({ address, privateKeyJwk }) {
      const { data } = await ask('/auth/challenge', { method: 'POST', body: { address } })
      const signature = await sign(data.message, { privateKeyJwk, ...choices.signature })
      return take(await ask('/auth/verify', { method: 'POST', body: { address, signature } }))
    },
    async signOut() {
      await request('/auth/logout', { method: 'POST' })
      csrfToken = undefined
    },
    /** Good for one authenticate frame of the feed, for 60 seconds. */
    ticket: async () => at(await request('/auth/ws-ticket'), choices.wsTicket.ticket),
  }
}

/** What lies at a dotted path of a body. */
export function at(body, path) {
  return path.split('.').reduce((value, name) => value?.[name], body)
}

/** A proxy on the way may answer with no error body at all. */
async function errorBody(response) {
  const body = await response.json().catch(() => ({}))
  return { error: response.statusText, ...body }
}

function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms))
}
