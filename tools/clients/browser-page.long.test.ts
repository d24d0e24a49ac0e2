// The page in a browser: it must show what REST returns, and do its duties. `npm run nightly` runs it under all fault plans, past the end
// of its session.
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { CHOICE_SET_NAMES } from '../../contract/scenario-config.ts'
import { faultPlanNames, loadFaults } from '../../scripts/given-files.ts'
import type { Stub } from '../../simulator/stub.ts'
import { IN_FULL, sampleNames } from '../test/tree-sample.ts'
import { browseDay } from './browse-day.ts'
import { at, openTabs, sendRequest, browserTest as test } from './test-browser.ts'

describe.each(CHOICE_SET_NAMES)('at an exchange with %s choices', (set) => {
  test('the page shows the prices of REST live, and again after a restart of the gateway', async () => {
    // A lagging replica would have older prices than the feed.
    const { stub, openPage } = await openTabs({ set, deployment: { replicas: 0 } })
    const page = await openPage()
    await signInByHand(page, stub)
    const loads: string[] = []
    page.on('request', (request) => loads.push(new URL(request.url()).pathname))

    const before = await shownPrices(page, stub)
    stub.world.mine(20)
    expect(await shownPrices(page, stub)).not.toEqual(before)
    expect(loads).toEqual([])

    const reloaded = page.waitForResponse(/explore/)
    expect(await control(stub, '/gateway/restart')).toEqual({ closed: 1 })
    stub.world.mine(20) // while the page is disconnected
    await reloaded
    await page.locator('#status', { hasText: 'live' }).waitFor()
    await shownPrices(page, stub)
    stub.world.mine(20)
    await shownPrices(page, stub)
    expect(loads).toEqual(['/auth/ws-ticket', ...Array(10).fill('/explore/pools')])
  })

  test('the page keeps renewing its ticket within 60 seconds on one socket', async () => {
    const { stub, openPage } = await openTabs({ set })
    const page = await openPage({ clock: 'by hand' })
    const opened = page.waitForEvent('websocket')
    await signInByHand(page, stub)
    const socket = await opened
    for (let renewal = 0; renewal < 4; renewal++) {
      const renewed = socket.waitForEvent('framereceived', isSynchronized)
      stub.world.clock.advance(45_000)
      await page.clock.runFor(45_000)
      await renewed
    }
    expect(socket.isClosed()).toBe(false)
    // Without renewals, the socket closes.
    const closed = socket.waitForEvent('close')
    stub.world.clock.advance(60_000)
    await closed
  })

  test('the page shows why it cannot follow the market, and that it has signed out', async () => {
    const { stub, openPage } = await openTabs({ set })
    const page = await openPage()
    await page.locator('#wallet').selectOption(stub.wallets.at(-1)?.address ?? '')
    await page.locator('#sign-in').click()
    await page.locator('#status', { hasText: '403' }).waitFor()
    await signInByHand(page, stub)
    await page.locator('#sign-out').click()
    await page.locator('#status', { hasText: 'signed out' }).waitFor()
  })
  test('a page can read Retry-After, and waits that long', async () => {
    const { stub, openTab } = await openTabs({ set, limit: { burst: 5, perSecond: 0.5, per: 'address' } })
    const tab = await openTab()
    const refusals: string[] = []
    tab.on('response', (response) => {
      if (response.status() === 429) refusals.push(response.headers()['retry-after'] ?? '')
    })
    const waited: number[] = []
    await tab.exposeFunction('pauseStub', (ms: number) => {
      waited.push(ms)
      stub.world.clock.advance(ms)
    })
    const keys: unknown[] = []
    for (let offset = 0; offset < 8; offset++) {
      keys.push(...listKeys(await sendRequest(tab, `/pools?limit=1&offset=${offset}`)))
    }
    expect(waited).toEqual([2000, 2000, 2000])
    expect(refusals).toHaveLength(3)
    stub.world.clock.advance(60_000)
    expect(keys).toEqual(listKeys(await sendRequest(tab, '/pools?limit=8')))
  })
})

const MINUTES = IN_FULL ? 17 : 2

/** Plans for routes that the page does not request, or for more requests. */
const WITHOUT_EFFECT = [
  'no-routes',
  'one-route-503',
  'rate-limit-shared',
  'replica-behind',
  'rest-delayed-behind-feed',
  'stale-routes-once',
]

test.each(sampleNames(faultPlanNames(), 1))(
  'two tabs draw no finding under the faults of %s',
  async (name) => {
    const { violations, triggered } = await browseDay({
      minutes: MINUTES,
      plan: await loadFaults(name, '.'),
    })
    expect(violations).toEqual([])
    if (IN_FULL && !WITHOUT_EFFECT.includes(name)) expect(triggered).toBeGreaterThan(0)
  },
)

/** Wrong pages, as changes of one text of a file. */
const WRONG_PAGES = [
  {
    breaks: 'client.ticket.renewed',
    file: 'feed.js',
    text: 'RENEW_MS = 45_000',
    wrong: 'RENEW_MS = 90_000',
  },
  {
    breaks: 'client.csrf.sent',
    file: 'exchange.js',
    text: "headers['x-csrf-token'] = csrfToken",
    wrong: 'return fetch(baseUrl + path, { credentials: "include", ...init, method, headers })',
  },
  {
    breaks: 'client.socket.authenticates-first',
    file: 'feed.js',
    text: 'await opened\n',
    wrong: "await opened\n    send({ action: 'synchronize' })\n",
  },
  {
    breaks: 'client.reconnect.resubscribes',
    file: 'feed.js',
    text: "for (const room of rooms) send({ action: 'subscribe', room })",
    wrong: "for (const room of rooms.splice(0)) send({ action: 'subscribe', room })",
  },
]

test.each(IN_FULL ? WRONG_PAGES : [])(
  'the observer finds $breaks in a wrong page',
  async ({ breaks, file, text, wrong }) => {
    const { violations } = await browseDay({
      minutes: 5,
      change: (given) => (given.name === file ? given.text.replace(text, wrong) : given.text),
    })
    expect(new Set(violations.map(({ rule }) => rule))).toEqual(new Set([breaks]))
  },
)

/** Uses the second-to-last wallet, which has access. */
async function signInByHand(page: Page, stub: Stub): Promise<void> {
  await page.locator('#wallet').selectOption(stub.wallets.at(-2)?.address ?? '')
  await page.locator('#sign-in').click()
  await page.locator('#status', { hasText: 'live' }).waitFor()
}

async function shownPrices(page: Page, stub: Stub): Promise<unknown> {
  const body = await (await fetch(`${stub.profile.baseUrl}/explore/pools?limit=100`)).json()
  const rows = at(body, 'data') as { key: string; price: string }[] // as: the specification's row
  const prices = Object.fromEntries(rows.map(({ key, price }) => [key, price]))
  const shown = await page.waitForFunction(`(() => {
    const rows = [...document.querySelectorAll('#pools tr')]
    const prices = ${JSON.stringify(prices)}
    return rows.every((row) => row.cells[1].textContent === prices[row.dataset.key]) && prices
  })()`)
  return shown.jsonValue()
}

async function control(stub: Stub, path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${stub.controlToken}` }
  return (await fetch(`${stub.profile.control}${path}`, { method: 'POST', headers })).json()
}

function isSynchronized({ payload }: { payload: string | Buffer }): boolean {
  return payload.includes('"synchronized"')
}

function listKeys(body: unknown): unknown[] {
  const rows = at(body, 'data')
  return Array.isArray(rows) ? rows.map((row) => at(row, 'key')) : []
}
