import type { Choices } from '../contract/profile.ts'
import type { Conduct } from './conduct.ts'
import type { Ticket } from './feed-connection.ts'
import { ExchangeError, type ExchangeResponse, type Request } from './send.ts'
import type { Tools } from './time-and-chance.ts'

const PAGE_ROWS = 100
/** Maximum requests for a revision that is not available yet. */
const PENDING_MAX = 60

export type QuoteRequest = { tokenIn: string; tokenOut: string; amountIn: string }

/** A route at a revision: guidance, not a promise. Amounts in base units. */
export type Quote = QuoteRequest & { amountOut: string; revision: number }

export type Exchange = {
  get(path: string, query?: Record<string, string>): Promise<unknown>
  post(path: string, body?: object): Promise<unknown>
  /** All rows of a list, page by page. */
  list(path: string, query?: Record<string, string>): Promise<unknown[]>
  quote(wanted: QuoteRequest): Promise<Quote | undefined>
  /** The revision of the configuration, once it is at least `minimum`. */
  revision(minimum: number): Promise<number>
  ticket(): Promise<Ticket>
  /** Test tokens: one claim in 15 minutes, so it is never retried. */
  claimFromFaucet(address: string): Promise<void>
}

export function createExchange(options: {
  /** Sends the client's credential; returns a success. Throws ExchangeError or NoResponse. */
  request: (
    request: Omit<Request, 'headers'>,
    options?: { attemptsMax?: number },
  ) => Promise<ExchangeResponse>
  choices: Choices
  tools: Pick<Tools, 'nowMs'>
  conduct: Conduct
}): Exchange {
  const { request, choices, tools, conduct } = options
  const get: Exchange['get'] = async (path, query = {}) =>
    (await request({ method: 'GET', path, query })).body

  return {
    get,
    post: async (path, body) => (await request({ method: 'POST', path, ...(body && { body }) })).body,
    async list(path, query = {}) {
      const all: unknown[] = []
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = await get(path, { ...query, limit: String(PAGE_ROWS), offset: String(offset) })
        const rows = at(page, 'data')
        if (!Array.isArray(rows)) throw new Error(`${path} has no list in data`)
        all.push(...rows)
        offset = conduct.nextOffset({
          offset,
          rows: rows.length,
          total: Number(at(page, 'pagination.total')),
        })
      }
      return all
    },
    async quote(wanted) {
      const { tokenIn, tokenOut, amountIn } = wanted
      try {
        const body = await get('/route', { token_in: tokenIn, token_out: tokenOut, amount_in: amountIn })
        return {
          ...wanted,
          amountOut: textAt(body, choices.route.amountOut),
          revision: revisionAt(body, choices.route.protocolRevision),
        }
      } catch (error) {
        if (error instanceof ExchangeError && error.status === 404) return undefined
        throw error
      }
    },
    async revision(minimum) {
      const query = conduct.stateQuery(minimum)
      const response = await request(
        { method: 'GET', path: '/protocol/state', query },
        { attemptsMax: PENDING_MAX },
      )
      return revisionAt(response.body, choices.protocolState.revision)
    },
    async ticket() {
      const requestedAtMs = tools.nowMs()
      const { body } = await request({ method: 'GET', path: '/auth/ws-ticket' })
      return { token: textAt(body, choices.wsTicket.ticket), requestedAtMs }
    },
    async claimFromFaucet(address) {
      const { path, address: field } = choices.faucet
      if (path === null || field === null) return
      await request({ method: 'POST', path, body: { [field]: address } }, { attemptsMax: 1 })
    },
  }
}

/** The value at a dotted path of a body; null means that the profile does not name it. */
export function at(body: unknown, path: string | null): unknown {
  // as: a body consists of objects, else the path leads nowhere
  const step = (value: unknown, name: string) => (value as Record<string, unknown> | null | undefined)?.[name]
  return path?.split('.').reduce(step, body)
}

/** Throws if the path is null or has no text. */
export function textAt(body: unknown, path: string | null): string {
  const text = at(body, path)
  if (typeof text !== 'string') throw new Error(`the response has no text at ${path}`)
  return text
}

function revisionAt(body: unknown, path: string | null): number {
  const revision = findRevision(body, path)
  if (revision === undefined) throw new Error(`the response has no revision at ${path}`)
  return revision
}

export function findRevision(body: unknown, path: string | null): number | undefined {
  const revision = at(body, path)
  return /^[0-9]{1,15}$/.test(String(revision)) ? Number(revision) : undefined
}
