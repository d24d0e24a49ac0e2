/** Trouble that may befall any request of any exchange, and goes by: none of it is a verdict on the exchange. */
import { setTimeout as wait } from 'node:timers/promises'
import type { RandomStream } from '../../simulator/random.ts'
import type { Exchange, Upgrade } from './spoiling-proxy.ts'

type Trouble = (exchange: Exchange, random: RandomStream) => Promise<void> | void

const HTML = Buffer.from('<!doctype html><title>Trouble</title><h1>Something is in the way</h1>')

/** With their weights. */
const TROUBLES: readonly { name: string; weight: number; make: Trouble }[] = [
  { name: 'reset before it is done', weight: 1, make: ({ response }) => void response.destroy() },
  {
    name: 'reset after it is done',
    weight: 1,
    async make({ ask, response }) {
      await ask()
      response.destroy()
    },
  },
  { name: '502', weight: 1, make: ({ reply }) => reply(html(502)) },
  { name: '503', weight: 1, make: ({ reply }) => reply(html(503, { 'retry-after': '1' })) },
  { name: '500 as JSON', weight: 1, make: ({ reply }) => reply(json(500, { error: 'internal' })) },
  {
    name: '429',
    weight: 1,
    make: ({ reply }) => reply(json(429, { error: 'slow down' }, { 'retry-after': '1' })),
  },
  {
    name: '429 until a date',
    weight: 1,
    make: ({ reply }) => reply(html(429, { 'retry-after': new Date(Date.now() + 1500).toUTCString() })),
  },
  {
    name: 'late',
    weight: 3,
    async make({ ask, reply }, random) {
      const answer = await ask()
      await wait(random.int(50, 800))
      reply(answer)
    },
  },
  {
    name: 'cut short',
    weight: 1,
    async make({ ask, response }) {
      const { status, headers, body } = await ask()
      response.writeHead(status, { ...headers, 'content-length': body.length })
      response.write(body.subarray(0, body.length / 2), () => response.destroy())
    },
  },
]

/** Troubles a share of requests, by chance. */
export function passingTrouble(options: {
  random: RandomStream
  share: number
  onTrouble: (name: string) => void
}): (exchange: Exchange) => Promise<void> {
  const { random, share, onTrouble } = options
  const pool = TROUBLES.flatMap((trouble) => Array.from({ length: trouble.weight }, () => trouble))
  return async (exchange) => {
    if (random.float() >= share) {
      exchange.reply(await exchange.ask())
      return
    }
    const { name, make } = random.pick(pool)
    onTrouble(name)
    await make(exchange, random)
  }
}

/** Refuses some sockets, and ends others after a while, as a deployment does or without a word. */
export function passingFeedTrouble(options: {
  random: RandomStream
  share: number
  onTrouble: (name: string) => void
}): (upgrade: Upgrade) => void {
  const { random, share, onTrouble } = options
  return ({ client, join }) => {
    const kind = random.float() < share ? random.pick(['refused', 'reset', 'cut', '1012'] as const) : 'none'
    if (kind !== 'none') onTrouble(`feed: ${kind}`)
    if (kind === 'refused') client.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
    else if (kind === 'reset') client.destroy()
    else endLater({ client, kind, behind: join(), afterMs: random.int(20, 1500) })
  }
}

function endLater(options: {
  client: Upgrade['client']
  kind: 'none' | 'cut' | '1012'
  behind: Upgrade['client']
  afterMs: number
}): void {
  const { client, kind, behind, afterMs } = options
  if (kind === 'none') return
  const timer = setTimeout(() => {
    behind.unpipe(client)
    if (kind === 'cut') client.destroy()
    // A close frame of RFC 6455, section 5.5.1: two bytes of code and no reason.
    else client.end(Buffer.from([0x88, 0x02, 1012 >> 8, 1012 & 0xff]))
  }, afterMs)
  client.on('close', () => clearTimeout(timer))
}

function html(status: number, headers: Record<string, string> = {}) {
  return { status, headers: { 'content-type': 'text/html', ...headers }, body: HTML }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = Buffer.from(JSON.stringify(body))
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: text }
}
