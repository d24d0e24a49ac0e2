import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Alteration, Body } from '../exchange/replies/alter-answers.ts'
import type { PAGING_MUTANTS } from './paging.ts'

const EXPLORE = ['GET /explore/pools'] as const

export const PAGING_ALTERATIONS: Readonly<Partial<Record<keyof typeof PAGING_MUTANTS, Alteration>>> = {
  'paging-explore-row-lost': {
    routes: EXPLORE,
    alter: ({ body, request }) => {
      if (Number(queryOf(request).get('offset') ?? 0) > 0) body.data = rowsOf(body).slice(1)
    },
  },
  'paging-1-refused': refusing((query) => query.get('limit') === '1'),
  'paging-100-refused': refusing((query) => query.get('limit') === '100'),
  'paging-0-served': serving((query) => query.get('limit') === '0'),
  'paging-loose-numbers': serving((query) => ['limit', 'offset'].some((name) => isLoose(query.get(name)))),
  'paging-total-text': {
    routes: ['GET /swaps'],
    alter: ({ body }) => {
      const pagination = body.pagination as Record<string, unknown> // as: bodies of this exchange's own making
      pagination.total = String(pagination.total)
    },
  },
  'paging-many-served': serving((query) => query.get('limit') === 'many'),
  'paging-negative-served': serving((query) => Number(query.get('limit')) < -1),
  'paging-start-served': serving((query) => query.get('offset') === 'start'),
  'paging-any-window': serving((query) => isOther(query.get('window'), ['1h', '1d', '1w', '1m'])),
  'paging-any-order': serving((query) => isOther(query.get('order'), ['asc', 'desc'])),
  'paging-no-month': refusing((query) => query.get('window') === '1m'),
  'paging-search-no-symbols': searching((row, text) => textsOf(row, 'Symbol').includes(text)),
  'paging-search-no-names': searching((row, text) => textsOf(row, 'Name').includes(text)),
  'paging-search-no-addresses': searching((row, text) => {
    const shown = [...textsOf(row, 'Symbol'), ...textsOf(row, 'Name'), String(row.key).toLowerCase()]
    return !shown.some((part) => part.includes(text))
  }),
  'paging-swaps-2-for-1': {
    routes: ['GET /swaps'],
    alter: ({ body, request }) => {
      const rows = rowsOf(body)
      if (queryOf(request).get('limit') === '1') body.data = [...rows, ...rows]
    },
  },
  'paging-swaps-101-for-100': {
    routes: ['GET /swaps'],
    alter: ({ body, request }) => {
      const rows = rowsOf(body)
      if (queryOf(request).get('limit') === '100') body.data = [...rows, ...rows].slice(0, 101)
    },
  },
  'paging-swaps-first-hop': {
    routes: ['GET /swaps'],
    alter: ({ body, request, choices }) => {
      const pool = queryOf(request).get(choices.profile.swapsPoolFilter)
      if (pool !== null) body.data = rowsOf(body).filter((row) => row.pool === pool)
    },
  },
  'paging-key-turned': {
    routes: ['GET /pools/:key'],
    alter: ({ body }) => {
      const pool = body.data as Record<string, unknown> // as: bodies of this exchange's own making
      Object.assign(pool, { token0: pool.token1, token1: pool.token0 })
    },
  },
  'paging-key-one-token': {
    routes: ['GET /pools/:key'],
    alter: ({ body }) => {
      const pool = body.data as Record<string, unknown> // as: bodies of this exchange's own making
      pool.token1 = pool.token0
    },
  },
}

type Rows = readonly Record<string, unknown>[]

/** As: bodies of this exchange's own making. */
function rowsOf({ data }: Body): Rows {
  return data as Rows
}

/** A page of pools that was searched for, less some of its rows. */
function searching(isLeftOut: (row: Record<string, unknown>, text: string) => boolean): Alteration {
  return {
    routes: EXPLORE,
    alter: ({ body, request }) => {
      const text = queryOf(request).get('search')?.toLowerCase()
      if (text) body.data = rowsOf(body).filter((row) => !isLeftOut(row, text))
    },
  }
}

/** One of the texts of its tokens, in lower case. */
function textsOf(row: Record<string, unknown>, field: 'Symbol' | 'Name'): string[] {
  return [row[`token0${field}`], row[`token1${field}`]].map((text) => String(text).toLowerCase())
}

/** 400 where the list would be served. */
function refusing(isMeant: (query: URLSearchParams) => boolean): Alteration {
  return {
    routes: EXPLORE,
    alter: ({ reply, request }) => {
      if (!isMeant(queryOf(request))) return undefined
      reply.code(400)
      return { error: 'invalid query parameters' }
    },
  }
}

function isOther(given: string | null, known: readonly string[]): boolean {
  return given !== null && !known.includes(given)
}

/** An empty page where the list answers 400. */
function serving(isMeant: (query: URLSearchParams) => boolean): Alteration {
  return {
    routes: EXPLORE,
    statuses: (status) => status === 400,
    alter: ({ reply, request }) => (isMeant(queryOf(request)) ? emptyPage(reply) : undefined),
  }
}

function emptyPage(reply: FastifyReply): Body {
  reply.code(200)
  return { data: [], pagination: { total: 26, limit: 20, offset: 0 } }
}

/** As it was asked: `request.query` is what validation made of it, where it got so far. */
function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URL(url, 'http://localhost').searchParams
}

/** A plus sign or white space about a number. */
function isLoose(text: string | null): boolean {
  return text !== null && /^[+\s]*[0-9]+\s*$/.test(text) && !/^[0-9]+$/.test(text)
}
