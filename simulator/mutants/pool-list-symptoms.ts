import { all, between, every, only } from '../deviations/conditions.ts'
import type { Answer, Asked, Deviation, RestDeviation } from '../deviations/deviation.ts'
import {
  edit,
  editRows,
  error,
  type Fields,
  hang,
  rest,
  rewrite,
  rows,
  text,
} from '../deviations/reactions.ts'
import { valueAt } from '../examples/demo-client.ts'
import type { DeviationTable } from './mutant-table.ts'

const POOLS = 'GET /pools'
const POOL = 'GET /pools/:key'
/** Past the end of any list of a stub, and nowhere else. */
const BEYOND = between('offset', 1000)
const isLaterPage = only(({ query }) => Number(query.get('offset') ?? 0) > 0)

/** Other ways to break the list of pools and its keys. */
export const POOL_LIST_SYMPTOMS = {
  'paging-pools-total-high': walked('the total of /pools counts one pool too many', {
    reply: totaled(({ total }) => Number(total) + 1),
  }),
  'paging-pools-last-lost': walked('the last pool of /pools is on no page', {
    reply: rows((page, { body, query }) => {
      const total = Number(valueAt(body, 'pagination.total'))
      return Number(query.get('offset') ?? 0) + page.length >= total ? page.slice(0, -1) : page
    }),
  }),
  'paging-pools-first-page-only': walked('later pages of /pools are empty', {
    when: isLaterPage,
    reply: rows(() => []),
  }),
  'paging-pools-later-pages-500': walked('later pages of /pools return 500', {
    when: isLaterPage,
    reply: error(500),
  }),
  'paging-pools-end-silent': ended('never responds', { reply: hang }),
  'paging-pools-end-null': ended('has null instead of rows', {
    reply: edit((body) => Object.assign(body, { data: null })),
  }),
  'paging-pools-end-modulo': ended('is one near the beginning: offsets wrap around at 256', {
    ask: rewrite((asked) => asked.set('offset', String(Number(asked.get('offset')) % 256))),
  }),
  'paging-keys-two-forms': {
    breaks: 'the key of the third pool of /pools alternates between two forms, both of which read it',
    rules: ['paging.key.identical'],
    deviates: keyed((key) => `${key}~`, { when: every(2) }),
  },
  'paging-keys-by-the-millisecond': {
    breaks: 'the key of the third pool of /pools ends with the time, all of which read it',
    rules: ['paging.key.identical'],
    deviates: keyed((key, { clock }) => `${key}~${clock.nowMs()}`),
  },
  'paging-keys-exchanged': {
    breaks: 'every second response of /pools has the keys of its second and its third pool exchanged',
    rules: ['paging.key.identical', 'paging.key.round-trip'],
    deviates: rest(POOLS, {
      when: every(2),
      reply: edit(({ data }) => {
        const [, second, third] = data as Fields[] // as: the stub's own rows
        if (second && third) [second.key, third.key] = [third.key, second.key]
      }),
    }),
  },
  'paging-keys-short-later': {
    breaks: 'every second response of /pools cuts the key of its second pool short',
    rules: ['paging.key.identical', 'paging.key.round-trip'],
    deviates: rest(POOLS, {
      when: every(2),
      reply: editRows((row, number) => {
        if (number === 1) row.key = String(row.key).slice(0, -1)
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
  return edit(({ pagination }) => Object.assign(pagination as Fields, { total: total(pagination as Fields) })) // as: the stub's own
}

/** Another key of the third pool of a page, which /pools/{key} knows, and responds with. */
function keyed(change: (key: string, answer: Answer) => string, deviates: Deviates = {}): Deviation {
  const list = rest(POOLS, {
    ...deviates,
    reply: editRows((row, number, answer) => {
      if (number === 2) row.key = change(String(row.key), answer)
    }),
  })
  const read = rest(POOL, {
    ask: ({ request }: Asked) => {
      const params = request.params as { key: string } // as: those of the route
      params.key = params.key.replace(/~[0-9]*$/, '')
    },
    reply: text((body, { request }) => {
      const asked = decodeURIComponent(
        new URL(request.originalUrl, 'http://localhost').pathname.slice('/pools/'.length),
      )
      const parsed = JSON.parse(body)
      parsed.data.key = asked
      return JSON.stringify(parsed)
    }),
  })
  return { rest: [...(list.rest ?? []), ...(read.rest ?? [])] }
}
