/** For tests in Chromium: pages on one loopback origin, the exchange on another. */

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { projectPath } from '../../scripts/project.ts'
import type { RateLimit } from '../../simulator/exchange/access/rate-limit.ts'
import type { Stub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'
import { freshStub } from '../test/given-stub.ts'
import { useChromium } from '../test/use-chromium.ts'

const FOLDER = 'examples/clients/browser'
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

/** Changes a file of the page, such as to a wrong one. */
export type ChangePage = (file: { name: string; text: string }) => string

/** Serves browser/, some JSON files and an empty page during the test. Returns the port, on the loopback. */
async function servePage(files: Readonly<Record<string, unknown>>, change: ChangePage): Promise<number> {
  const server = createServer(async ({ url = '/' }, response) => {
    const name = url === '/' ? 'index.html' : url.slice(1)
    if (name === 'empty') return response.setHeader('content-type', 'text/html').end('<!doctype html>')
    if (Object.hasOwn(files, name)) {
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(files[name]))
    }
    const text = await readFile(projectPath(`${FOLDER}/${name}`), 'utf8').catch(() => undefined)
    response.statusCode = text === undefined ? 404 : 200
    return response
      .setHeader('content-type', TYPES[extname(name)] ?? 'text/plain')
      .end(text && change({ name, text }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port // as: it listens on a port
}

/** A host name that resolves to this machine, but whose pages may not call the exchange. */
export const ELSEWHERE = 'elsewhere.test'

const { test, browser } = useChromium([`--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`])

/** Skipped without Chromium. */
export const browserTest = test

/** A stub, unless one is given, and a separate browser context with tabs on pages of `host`. */
export async function openTabs(options: {
  set: ChoiceSetName
  host?: string
  limit?: RateLimit
  deployment?: StubOptions['deployment']
  stub?: Stub
  userAgent?: string | undefined
  change?: ChangePage | undefined
}) {
  const { set, host = '127.0.0.1', limit, deployment, userAgent, change = ({ text }) => text } = options
  const own = { ...(limit && { rateLimit: limit }), ...(deployment && { deployment }) }
  const stub = options.stub ?? (await freshStub(set, limit || deployment ? own : undefined))
  const { profile, wallets } = stub
  const files = {
    'stub.json': { ...profile, credentials: { ...profile.credentials, wallets: 'stub-wallets.json' } },
    'stub-wallets.json': wallets,
  }
  const pagePort = await servePage(files, change)
  const context = await browser().newContext(userAgent === undefined ? {} : { userAgent })
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
    url: `http://${host}:${pagePort}/`,
    openEmpty,
    /** A page with the client as `exchange`. */
    async openTab(baseUrl = ofHost(profile.baseUrl)) {
      const page = await openEmpty()
      const given = JSON.stringify({ baseUrl, choices: profile.choices })
      await page.evaluate(`import('/exchange.js').then(({ createExchange }) => {
        globalThis.exchange = createExchange({ ...${given}, pause: (ms) => globalThis.pauseStub(ms) })
      })`)
      return page
    },
    async openPage({ clock }: { clock?: 'by hand' } = {}) {
      const page = await context.newPage()
      if (clock === 'by hand') await page.clock.install()
      await page.goto(`http://${host}:${pagePort}/`)
      await page.locator('#status', { hasText: 'signed out' }).waitFor()
      return page
    },
  }
}

export function sendRequest(tab: Page, path: string, options: object = {}): Promise<unknown> {
  return tab.evaluate(`exchange.request(${JSON.stringify(path)}, ${JSON.stringify(options)})`)
}

export function at(body: unknown, path: string | null): unknown {
  // as: a body is made of objects, or the path leads nowhere
  const step = (value: unknown, name: string) => (value as Record<string, unknown> | undefined)?.[name]
  return path?.split('.').reduce(step, body)
}

type MeetingProxy = {
  port: number
  /** From now on, holds such requests (`POST /auth/refresh`) until there are `count`, then forwards them together. */
  gather(line: string, count: number): void
  /** Response statuses of those, in ascending order. */
  statuses(): number[]
}

/** Forwards requests to `target`, and starts a race deterministically. */
export async function meetingProxy(target: string): Promise<MeetingProxy> {
  const held: (() => void)[] = []
  const statuses: number[] = []
  let awaited = { line: '', count: 0 }

  const server = createServer((request, response) => {
    const { method, url, headers } = request
    const isRacer = `${method} ${url}` === awaited.line
    const pass = () => {
      const onward = forward(`${target}${url}`, { method, headers, agent: false }, (reply) => {
        const { statusCode = 0, rawHeaders } = reply
        if (isRacer) statuses.push(statusCode)
        reply.pipe(response.writeHead(statusCode, rawHeaders))
      })
      onward.on('error', () => response.destroy())
      request.pipe(onward)
    }
    if (!isRacer) return pass()
    held.push(pass)
    if (held.length >= awaited.count) for (const start of held.splice(0)) start()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    port: (server.address() as AddressInfo).port, // as: it listens on a port
    gather(line, count) {
      awaited = { line, count }
    },
    statuses: () => statuses.toSorted((a, b) => a - b),
  }
}
