// Sessions in a browser: cookies, CSRF, SameSite, CORS.
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { CHOICE_SET_NAMES } from '../../contract/scenario-config.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import type { Stub } from '../../simulator/stub.ts'
import { at, ELSEWHERE, meetingProxy, openTabs, sendRequest, browserTest as test } from './test-browser.ts'

const ACCESS_MS = 15 * 60_000
/** Statuses of racing tabs: the loser gets 409, or the same cookies. */
const RACE_STATUSES = { refused: [200, 409], shared: [200, 200] }
const WITH_ACCESS = { data: { has_access: true } }

describe.each(CHOICE_SET_NAMES)('at an exchange with %s choices', (set) => {
  const choices = CHOICE_SETS[set]
  const csrfRefused = choices.errors.statuses.csrf_required ?? 403

  test.each(['127.0.0.1', 'localhost'])(
    'a page of %s signs in at another port of the host; no script can read the two cookies',
    async (host) => {
      const { stub, context, openTab } = await openTabs({ set, host })
      const tab = await openTab()
      await signIn(tab, stub)
      expect(await sendRequest(tab, '/access/status')).toMatchObject(WITH_ACCESS)

      const cookies = (await context.cookies()).filter(({ name }) => sessionCookies(stub).includes(name))
      expect(cookies.map(({ domain, httpOnly }) => ({ domain, httpOnly }))).toEqual([
        { domain: host, httpOnly: true },
        { domain: host, httpOnly: true },
      ])
      // Cookies ignore ports: without httpOnly, the page would see them.
      const readable = String(await tab.evaluate('document.cookie'))
      for (const { value } of cookies) expect(readable).not.toContain(value)
    },
  )

  test('a change needs the CSRF token in addition to the cookies; a read does not', async () => {
    const { stub, base, openTab, openEmpty } = await openTabs({ set })
    const tab = await openTab()
    await signIn(tab, stub)
    const forgetful = await openEmpty() // has the cookies, but no CSRF token
    const statusThere = (request: Request) => fetchStatus(forgetful, base, request)
    expect(await statusThere({ path: '/auth/sessions' })).toBe(200)
    expect(await statusThere({ path: '/auth/logout', method: 'POST' })).toBe(csrfRefused)
    expect(await statusThere({ path: '/auth/logout', method: 'POST', csrf: 'x' })).toBe(csrfRefused)
    expect(await sessionCount(tab, stub)).toBe(1)
  })

  test('a reloaded page still has its session, and its CSRF token after a refresh', async () => {
    const { stub, base, context, openTab } = await openTabs({ set })
    const tab = await openTab()
    await signIn(tab, stub)
    await tab.close()
    const again = await openTab()
    await again.evaluate('exchange.resume()')
    await again.evaluate('exchange.signOut()')
    expect(await fetchStatus(again, base, { path: '/access/status' })).toBe(401)
    const left = (await context.cookies()).map(({ name }) => name)
    expect(left.filter((name) => sessionCookies(stub).includes(name))).toEqual([])
  })

  test('of two tabs that refresh at once, the loser gets 409 at most, and both continue in the same session', async () => {
    const { stub, openTab } = await openTabs({ set })
    const proxy = await meetingProxy(stub.profile.baseUrl)
    const base = `http://127.0.0.1:${proxy.port}`
    const [first, second] = [await openTab(base), await openTab(base)]
    await signIn(first, stub)
    stub.world.clock.advance(ACCESS_MS)
    expect(await fetchStatus(first, base, { path: '/access/status' })).toBe(401)

    proxy.gather('POST /auth/refresh', 2)
    const responses = await Promise.all([first, second].map((tab) => sendRequest(tab, '/access/status')))
    for (const response of responses) expect(response).toMatchObject(WITH_ACCESS)
    expect(proxy.statuses()).toEqual(RACE_STATUSES[choices.refresh.race])
    proxy.gather('nothing', 0)

    // One of them never signed in: it got the CSRF token from the other.
    for (const tab of [first, second]) {
      await sendRequest(tab, '/api-tokens', {
        method: 'POST',
        body: { name: 'still here', expires_in_days: 1 },
      })
      expect(await sessionCount(tab, stub)).toBe(1)
      stub.world.clock.advance(ACCESS_MS)
      expect(await sendRequest(tab, '/access/status')).toMatchObject(WITH_ACCESS)
    }
  })

  test('a page of another site has no session and cannot change anything', async () => {
    const { stub, base, openTab, openEmpty } = await openTabs({ set, host: '127.0.0.1' })
    const tab = await openTab()
    const csrf = String(at(await signIn(tab, stub), stub.profile.choices.verify.csrfToken))
    const requests: Request[] = [
      { path: '/auth/refresh', method: 'POST' },
      { path: '/auth/sessions' },
      { path: '/auth/logout', method: 'POST', csrf }, // even with a stolen token
    ]
    for (const host of ['localhost', ELSEWHERE]) {
      const stranger = await openEmpty(host)
      for (const request of requests) {
        // Without CORS the request is sent anyway; only its response cannot be read.
        const responded = stranger.waitForResponse(`${base}${request.path}`)
        expect(await fetchStatus(stranger, base, { ...request, mode: 'no-cors' })).toBe(0)
        expect((await responded).status()).toBe(401)
        // The exchange allows pages of the loopback, but the browser sends no cookies of another site.
        const response = fetchStatus(stranger, base, request)
        if (host === 'localhost') expect(await response).toBe(401)
        else await expect(response).rejects.toThrow('Failed to fetch')
      }
      const submitted = stranger.waitForRequest(`${base}/auth/refresh`)
      await stranger.setContent(`<form method="post" action="${base}/auth/refresh"></form>`)
      await stranger.evaluate('document.forms[0].submit()')
      expect((await (await submitted).allHeaders()).cookie).toBeUndefined()
    }
    // A page of the same site succeeds with each request.
    expect(await sessionCount(tab, stub)).toBe(1)
    for (const request of requests) expect(await fetchStatus(tab, base, request)).toBe(200)
  })

  test('a page creates an API token, uses it without cookies, and revokes it', async () => {
    const { stub, base, openTab } = await openTabs({ set })
    const tab = await openTab()
    await signIn(tab, stub)
    const body = { name: 'bot', expires_in_days: 1 }
    const { data } = (await sendRequest(tab, '/api-tokens', { method: 'POST', body })) as {
      data: { id: string; token: string } // as: the specification's record
    }
    const bearer = { path: '/access/status', authorization: `Bearer ${data.token}`, credentials: 'omit' }
    expect(await fetchStatus(tab, base, bearer)).toBe(200)
    await sendRequest(tab, `/api-tokens/${data.id}`, { method: 'DELETE' })
    expect(await fetchStatus(tab, base, bearer)).toBe(401)
    expect(await fetchStatus(tab, base, { path: '/access/status' })).toBe(200)
  })

  test('a page can read why its request was rejected, even if the path cannot be decoded', async () => {
    const { base, openEmpty } = await openTabs({ set })
    const tab = await openEmpty()
    expect(await fetchStatus(tab, base, { path: '/pools/%E0%A4%A' })).toBe(400)
    expect(await fetchStatus(tab, base, { path: '/nowhere' })).toBe(404)
  })
})

type Request = {
  path: string
  method?: string
  csrf?: string
  authorization?: string
  credentials?: string
  mode?: string
}

/** Uses the second-to-last wallet, which has access and is no administrator's. */
function signIn(tab: Page, stub: Stub): Promise<unknown> {
  return tab.evaluate(`exchange.signIn(${JSON.stringify(stub.wallets.at(-2))})`)
}

/** Uses the browser's bare fetch, with cookies by default. */
function fetchStatus(
  page: Page,
  base: string,
  { path, csrf, authorization, ...init }: Request,
): Promise<unknown> {
  const headers = { ...(csrf && { 'x-csrf-token': csrf }), ...(authorization && { authorization }) }
  const isBare = init.mode === 'no-cors' // which allows no custom headers
  const given = { credentials: 'include', ...init, ...(!isBare && { headers }) }
  return page.evaluate(
    `fetch(${JSON.stringify(base + path)}, ${JSON.stringify(given)}).then(({ status }) => status)`,
  )
}

async function sessionCount(tab: Page, stub: Stub): Promise<number> {
  const sessions = at(await sendRequest(tab, '/auth/sessions'), stub.profile.choices.sessions.list)
  return Array.isArray(sessions) ? sessions.length : Number.NaN
}

function sessionCookies({ profile }: Stub): unknown[] {
  return [profile.choices.cookies.access, profile.choices.cookies.refresh]
}
