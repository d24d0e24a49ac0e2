import { between, every } from './conditions.ts'
import type { Deviation, DeviationRequest, DeviationResponse, RestDeviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { edit, editRows, error, type Fields, rest, rewrite, text } from './reactions.ts'

const POOLS = 'GET /pools'
const POOL = 'GET /pools/:key'
/** Past the end of any list of a stub, and nowhere else. */
const BEYOND = between('offset', 1000)
const isLaterPage = between('offset', 1)

export const POOL_LIST_SYMPTOMS = {
  'paging-pools-row-repeated': walked('later pages of /pools start with the last row of the previous page', {
    when: isLaterPage,
    request: rewrite((query) => query.set('offset', String(Number(query.get('offset')) - 1))),
  }),
  'paging-pools-total-of-page': walked('the total of /pools is the number of rows on the page', {
    reply: edit((body) =>
      Object.assign(body.pagination as Fields, { total: (body.data as Fields[]).length }),
    ), // as: the stub's body
  }),
  'paging-pools-offset-ignored': {
    breaks: '/pools ignores its offset',
    rules: ['paging.pools.complete', 'paging.pools.ends'],
    deviates: rest(POOLS, { when: isLaterPage, request: rewrite((query) => query.set('offset', '0')) }),
  },
  'paging-pools-end-500': ended('returns 500', { reply: error(500) }),
  'paging-pools-total-high': walked('the total of /pools counts one pool too many', {
    reply: totaled(({ total }) => Number(total) + 1),
  }),
  'paging-pools-end-modulo': ended('is one near the beginning: offsets wrap around at 256', {
    request: rewrite((query) => query.set('offset', String(Number(query.get('offset')) % 256))),
  }),
  'paging-keys-two-forms': {
    breaks: 'the key of the third pool of /pools alternates between two forms, both of which read it',
    rules: ['paging.key.identical'],
    deviates: keyed((key) => `${key}~`, { when: every(2) }),
  },
  'paging-keys-exchanged': {
    breaks: 'every second response of /pools swaps the keys of its second and third pool',
    rules: ['paging.key.identical', 'paging.key.round-trip'],
    deviates: rest(POOLS, {
      when: every(2),
      reply: edit(({ data }) => {
        const [, second, third] = data as Fields[] // as: the stub's rows
        if (second && third) [second.key, third.key] = [third.key, second.key]
      }),
    }),
  },
} as const satisfies DeviationTable

type Deviates = Omit<RestDeviation, 'routes'>

function walked(breaks: string, deviates: Deviates) {
  return { breaks, rules: ['paging.pools.complete'], deviates: rest(POOLS, deviates) }
}

function ended(how: string, deviates: Deviates) {
  return {
    breaks: `a page of /pools far past its end ${how}`,
    rules: ['paging.pools.ends'],
    deviates: rest(POOLS, { when: BEYOND, ...deviates }),
  }
}

function totaled(total: (pagination: Fields) => number) {
  return edit(({ pagination }) => Object.assign(pagination as Fields, { total: total(pagination as Fields) })) // as: the stub's body
}

/** Another key of the third pool of a page, which /pools/{key} accepts and returns. */
function keyed(
  change: (key: string, response: DeviationResponse) => string,
  deviates: Deviates = {},
): Deviation {
  const list = rest(POOLS, {
    ...deviates,
    reply: editRows((row, number, response) => {
      if (number === 2) row.key = change(String(row.key), response)
    }),
  })
  const read = rest(POOL, {
    request: ({ request }: DeviationRequest) => {
      const params = request.params as { key: string } // as: parameters of the route
      params.key = params.key.replace(/~[0-9]*$/, '')
    },
    reply: text((body, { request }) => {
      const requested = decodeURIComponent(
        new URL(request.originalUrl, 'http://localhost').pathname.slice('/pools/'.length),
      )
      const parsed = JSON.parse(body)
      parsed.data.key = requested
      return JSON.stringify(parsed)
    }),
  })
  return { rest: [...(list.rest ?? []), ...(read.rest ?? [])] }
}
