/** Persistent errors of an exchange: on one route, or at one point of a socket, while everything else works. */
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import type { Exchange, startFaultProxy, Upgrade } from './fault-proxy.ts'

export type ProxyFaults = Pick<Parameters<typeof startFaultProxy>[0], 'changeRest' | 'changeFeed'>

/** An error, and the rules that it breaks: each of them must fail, and no other. */
export type PersistentError = ProxyFaults & {
  /** Rules to probe: those that it breaks, and those whose probes meet it. */
  rules: string
  breaks: readonly string[]
  /** Sets of choices that show it; all by default. */
  choices?: readonly ChoiceSetName[]
}

type Effect = (exchange: Exchange) => Promise<void> | void
type ProxiedRequest = { path: string; query: URLSearchParams; hasCredential: boolean }

const ERROR_BODY = Buffer.from('{"error":"internal error","code":null,"ref":null}')
const CUT_AT = 20

const internalError: Effect = ({ reply }) =>
  reply({ status: 500, headers: { 'content-type': 'application/json' }, body: ERROR_BODY })

const cutShort: Effect = async ({ forward, response }) => {
  const { status, headers, body } = await forward()
  response.writeHead(status, { ...headers, 'content-length': body.length })
  response.write(body.subarray(0, CUT_AT), () => response.destroy())
}

const noResponse: Effect = () => undefined

const withoutOffset: Effect = async ({ request, forward, reply }) => {
  request.url = request.url?.replace(/([?&])offset=[0-9]+/, '$1offset=0')
  reply(await forward())
}

const errorForNotFound: Effect = async (exchange) => {
  const response = await exchange.forward()
  if (response.status === 404) await internalError(exchange)
  else exchange.reply(response)
}

export const PERSISTENT_ERRORS: Record<string, PersistentError> = {
  'a 500 where 400 is specified': {
    rules: 'paging.*,wire.*',
    breaks: ['paging.limit.rejects-0'],
    ...onRest(({ path, query }) => path === '/explore/pools' && query.get('limit') === '0', internalError),
  },
  'a 500 where 404 is specified': {
    rules: 'route.*',
    breaks: ['route.none.404'],
    ...onRest(({ path }) => path === '/route', errorForNotFound),
  },
  'a 500 for each read with a credential of one route': {
    rules: 'wire.*,referral.*,api-token.*,auth.credentials.*',
    breaks: ['referral.status.record', 'auth.credentials.invalid-401'],
    ...onRest(({ path, hasCredential }) => path === '/referral/status' && hasCredential, internalError),
  },
  'a 500 for each page of /swaps': {
    rules: 'wire.*,paging.swaps.*,api-token.*,auth.verify.*,auth.sessions.*',
    breaks: ['wire.swaps.record', 'paging.swaps.accepts-1', 'paging.swaps.accepts-100'],
    ...onRest(({ path, hasCredential }) => path === '/swaps' && hasCredential, internalError),
  },
  'a response cut at the same byte': {
    rules: 'wire.*,api-token.*',
    breaks: ['wire.fee-tiers.record'],
    ...onRest(({ path, hasCredential }) => path === '/fee-tiers' && hasCredential, cutShort),
  },
  'no response on one route': {
    rules: 'wire.*',
    breaks: ['wire.schema-trading.record'],
    ...onRest(({ path, hasCredential }) => path === '/schema/trading' && hasCredential, noResponse),
  },
  'a list that ignores its offset': {
    rules: 'paging.*,wire.*',
    // The body is that of another offset, and says so.
    breaks: ['paging.pools.complete', 'paging.pools.ends', 'paging.pagination.fields'],
    // Other sets list the newest pools first, so each launch changes the page that must stay the same.
    choices: ['default'],
    ...onRest(({ path }) => path === '/pools', withoutOffset),
  },
  'a socket lost after joining one kind of room': {
    rules: 'ws.*',
    breaks: ['ws.rooms.trades'],
    ...onFeed((action, room) => action === 'subscribe' && room.startsWith('trades:')),
  },
  'a socket lost after it authenticates': {
    rules: 'ws.auth.*,ws.sync.*,ws.rooms.*',
    breaks: ['ws.auth.ticket'],
    ...onFeed((action) => action === 'authenticate'),
  },
}

/** Outages: from some moment on, nothing is served. They break no rule. */
export const OUTAGES: Record<string, () => ProxyFaults> = {
  'a 500 for everything, after a second': () => outage(1000, internalError),
  'a reset of everything, after 3 seconds': () => outage(3000, ({ response }) => void response.destroy()),
}

function outage(afterMs: number, effect: Effect): ProxyFaults {
  let startedMs: number | undefined
  const leftMs = () => {
    startedMs ??= Date.now()
    return startedMs + afterMs - Date.now()
  }
  return {
    async changeRest(exchange) {
      if (leftMs() > 0) exchange.reply(await exchange.forward())
      else await effect(exchange)
    },
    changeFeed({ client, join }) {
      if (leftMs() <= 0) return void client.destroy()
      join()
      const timer = setTimeout(() => client.destroy(), leftMs())
      client.on('close', () => clearTimeout(timer))
    },
  }
}

function onRest(matches: (requested: ProxiedRequest) => boolean, effect: Effect): ProxyFaults {
  return {
    async changeRest(exchange) {
      const { url = '/', headers } = exchange.request
      const { pathname: path, searchParams: query } = new URL(url, 'http://exchange.invalid')
      const hasCredential = headers.authorization !== undefined || headers.cookie !== undefined
      if (matches({ path, query, hasCredential })) await effect(exchange)
      else exchange.reply(await exchange.forward())
    },
    changeFeed: ({ join }) => void join(),
  }
}

function onFeed(matches: (action: string, room: string) => boolean): ProxyFaults {
  return {
    async changeRest({ forward, reply }) {
      reply(await forward())
    },
    changeFeed({ client, join }: Upgrade) {
      join()
      client.on('data', (chunk: Buffer) => {
        for (const { action, room = '' } of clientFrames(chunk)) if (matches(action, room)) client.destroy()
      })
    },
  }
}

/** A client's masked text frames, as far as a chunk has them whole: https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
export function clientFrames(chunk: Buffer): { action: string; room?: string }[] {
  const frames: { action: string; room?: string }[] = []
  for (let at = 0; at + 6 <= chunk.length; ) {
    const isText = (chunk.readUInt8(at) & 0x0f) === 1
    const short = chunk.readUInt8(at + 1) & 0x7f
    const length = short === 126 ? chunk.readUInt16BE(at + 2) : short
    const mask = at + (short === 126 ? 4 : 2)
    const payload = chunk.subarray(mask + 4, mask + 4 + length)
    if (isText)
      frames.push(
        JSON.parse(payload.map((byte, index) => byte ^ (chunk[mask + (index % 4)] ?? 0)).toString()),
      )
    at = mask + 4 + length
  }
  return frames
}
