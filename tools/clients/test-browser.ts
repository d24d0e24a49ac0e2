/** For tests in Chromium: pages on one loopback origin, the exchange on another. */
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { ChoiceSetName } from '../../contract/choice-set-name.ts'
import type { RateLimit } from '../../simulator/exchange/access/rate-limit.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'
import { useChromium } from '../test/use-chromium.ts'
import { freshStub } from './fresh-stub.ts'
import { servePage } from './page-server.ts'

/** A host that the browser finds on this machine, and from which no page may call the exchange. */
export const ELSEWHERE = 'elsewhere.test'

const { test, browser } = useChromium([`--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`])

/** Where there is a Chromium. */
export const browserTest = test

/** A stub, and a browser context of its own with tabs on pages of `host`. */
export async function openTabs(options: {
  set: ChoiceSetName
  host?: string
  limit?: RateLimit
  deployment?: StubOptions['deployment']
}) {
  const { set, host = '127.0.0.1', limit, deployment } = options
  const stub = await freshStub(
    set,
    (limit || deployment) && { ...(limit && { rateLimit: limit }), ...(deployment && { deployment }) },
  )
  const { profile, wallets } = stub
  const pagePort = await servePage({
    'stub.json': { ...profile, credentials: { ...profile.credentials, wallets: 'stub-wallets.json' } },
    'stub-wallets.json': wallets,
  })
  const context = await browser().newContext()
  onTestFinished(() => context.close())
  const ofHost = (url: string) => url.replace('127.0.0.1', host)
  const openEmpty = async (at = host) => {
    const page = await context.newPage()
    await page.goto(`http://${at}:${pagePort}/empty`)
    return page
  }
  return {
    stub,
    context,
    base: ofHost(profile.baseUrl),
    /** A page without any script of ours. */
    openEmpty,
    /** One that has the client as `exchange`. */
    async openTab(baseUrl = ofHost(profile.baseUrl)) {
      const page = await openEmpty()
      const given = JSON.stringify({ baseUrl, choices: profile.choices })
      await page.evaluate(`import('/exchange.js').then(({ createExchange }) => {
        globalThis.exchange = createExchange({ ...${given}, pause: (ms) => globalThis.pauseStub(ms) })
      })`)
      return page
    },
    /** The page as it is. */
    async openPage({ clock }: { clock?: 'by hand' } = {}) {
      const page = await context.newPage()
      if (clock === 'by hand') await page.clock.install()
      await page.goto(`http://${host}:${pagePort}/`)
      await page.locator('#status', { hasText: 'signed out' }).waitFor()
      return page
    },
  }
}

/** By the client of the page. */
export function ask(tab: Page, path: string, options: object = {}): Promise<unknown> {
  return tab.evaluate(`exchange.request(${JSON.stringify(path)}, ${JSON.stringify(options)})`)
}

/** What lies at a dotted path, if anything. */
export function at(body: unknown, path: string | null): unknown {
  // as: a body is made of objects, or the path leads nowhere
  const step = (value: unknown, name: string) => (value as Record<string, unknown> | undefined)?.[name]
  return path?.split('.').reduce(step, body)
}
