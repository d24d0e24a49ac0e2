import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHOICE_SETS } from '../../choices/choices.ts'
import { copyIndexer } from '../../indexer/indexer.ts'
import type { ExploreQuery, ExploreRow, ExploreSort, MetricWindow } from '../../indexer/views/market-views.ts'
import type { Views } from '../../indexer/views/views.ts'
import { createBodySerializer } from '../replies/extra-fields.ts'
import { createTestBed } from '../test-bed.ts'
import { createTestWorld } from '../test-world.ts'
import { createExplorePages, createRowRenderer } from './explore-pages.ts'
import { withUnknownFirst } from './explore-records.ts'
import { explorePoolRecord } from './records.ts'

const ordering: Pick<ExploreQuery, 'window' | 'sort' | 'order'> = {
  window: '1h',
  sort: 'tvlUsd',
  order: 'asc',
}

/** Rows with their text as name: of all lengths, some multi-byte. */
function buildRows(count: number, tag = ''): ExploreRow[] {
  return Array.from(
    { length: count },
    (_, place) => ({ price: `${tag}${'é🙂x'.repeat(place % 5)}${place}` }) as ExploreRow,
  )
}

function pagesOver(rows: { now: readonly ExploreRow[] }) {
  let orders = new Map<readonly ExploreRow[], ReturnType<Views['exploreOrder']>>()
  const exploreOrder: Views['exploreOrder'] = () => {
    const { now } = rows
    const order = orders.get(now) ?? { rows: now, places: Int32Array.from(now.keys()) }
    orders = new Map([[now, order]])
    return order
  }
  const rendered: string[] = []
  const render = ({ price }: ExploreRow) => {
    rendered.push(String(price))
    const text = JSON.stringify(price)
    return { terms: Buffer.from(`,[${text}`), figures: `,${text}]` }
  }
  const renderPage = createExplorePages({ views: { exploreOrder }, render })
  const read = (limit: number, offset: number): unknown => {
    const { pieces } = renderPage({ ...ordering, limit, offset })
    return JSON.parse(`[${Buffer.concat(pieces).toString()}]`)
  }
  return { read, rendered }
}

function twice({ price }: ExploreRow) {
  return [price, price]
}

test.each([0, 1, 99, 100, 101, 250])('any page of %d rows is correct', (count) => {
  const rows = buildRows(count)
  const { read } = pagesOver({ now: rows })
  for (const limit of [1, 2, 99, 100]) {
    for (let offset = 0; offset <= count + 1; offset += 7) {
      expect(read(limit, offset)).toEqual(rows.slice(offset, offset + limit).map(twice))
    }
  }
})

test('another block’s rows replace the previous ones, longer or shorter; only changed ones are rendered', () => {
  const first = buildRows(230)
  const longer = [...buildRows(120, 'much longer than before '), ...first.slice(120)]
  const fewer = longer.slice(0, 40)
  const rows = { now: first }
  const { read, rendered } = pagesOver(rows)
  const expectAll = () => {
    for (let offset = 0; offset < 230; offset += 100) {
      expect(read(100, offset)).toEqual(rows.now.slice(offset, offset + 100).map(twice))
    }
  }
  expectAll()
  expect(rendered).toHaveLength(230)
  rows.now = longer
  expectAll()
  expect(rendered).toHaveLength(350)
  rows.now = fewer
  expectAll()
  expect(rendered).toHaveLength(350)
})

const SETS = Object.values(CHOICE_SETS)

const EVENT = fc.oneof(
  fc.record({ do: fc.constant('mine'), blocks: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('reorg'), depth: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constantFrom('snapshot', 'revert') }),
)

test.each(SETS)(
  'with $name choices, pages equal a fresh rendering, whatever happened before',
  async (choices) => {
    const world = createTestWorld()
    const { call } = await createTestBed({ world, choices })
    const { sorts, unknownFigures } = choices.explorePools
    const serialize = createBodySerializer(choices)
    let snapshot = world.snapshot()

    const happen = (event: Parameters<Parameters<typeof EVENT.map>[0]>[0]) => {
      if ('blocks' in event) world.mine(event.blocks)
      else if ('depth' in event) world.reorg(event.depth)
      else if (event.do === 'snapshot') snapshot = world.snapshot()
      else {
        world.revert(snapshot)
        snapshot = world.snapshot()
      }
    }
    const freshViews = () => {
      const { views } = copyIndexer({ state: world.state().index })
      return unknownFigures === 'first' ? withUnknownFirst(views) : views
    }
    const expectFresh = async (
      views: Pick<Views, 'explorePools'>,
      window: MetricWindow,
      name: string,
      order: 'asc' | 'desc',
      offset: number,
    ) => {
      const page = { limit: 100, offset }
      const response = await call(
        `/explore/pools?window=${window}&sort=${name}&order=${order}&limit=100&offset=${offset}`,
      )
      const sort = sorts[name] as ExploreSort // as: one of its keys
      const { rows, total } = views.explorePools({ window, sort, order, ...page })
      const { valuation } = response.json()
      const data = rows.map((row) => explorePoolRecord(row, choices))
      const body = { data, pagination: { total, ...page }, ...(valuation !== undefined && { valuation }) }
      expect(response.body).toBe(serialize(body))
    }
    const pages = fc.tuple(
      fc.constantFrom('1h', '1d', '1w', '1m'),
      fc.constantFrom(...Object.keys(sorts)),
      fc.constantFrom('asc', 'desc'),
      fc.integer({ min: 0, max: 60 }),
    )
    await fc.assert(
      fc.asyncProperty(EVENT, fc.array(pages, { minLength: 1, maxLength: 6 }), async (event, requested) => {
        happen(event)
        const views = freshViews()
        for (const page of requested) await expectFresh(views, ...page)
      }),
      { numRuns: 25 },
    )
  },
)

test.each(SETS)('with $name choices, a row equals its record, whichever of its fields changes', (choices) => {
  const render = createRowRenderer(choices)
  const { rows } = createTestWorld().views.exploreOrder(ordering)
  const first = rows[0] as ExploreRow // as: the world has pools
  const { pool } = first
  const expectRecord = (row: ExploreRow) => {
    const { terms, figures } = render(row)
    expect(`${Buffer.from(terms)}${figures}`).toBe(`,${JSON.stringify(explorePoolRecord(row, choices))}`)
  }
  const changes: Partial<ExploreRow>[] = [
    { displayFlipped: !first.displayFlipped },
    { pool: { ...pool, enabled: !pool.enabled } },
    { pool: { ...pool, feePips: pool.feePips + 1 } },
    { pool: { ...pool, createdAtMs: pool.createdAtMs + 1 } },
    { pool: { ...pool, id: 'pool-0' } },
    { pool: { ...pool, key: `1${pool.key}` } },
    { pool: { ...pool, token0: { ...pool.token0, name: 'é"🙂' } } },
    { pool: { ...pool, token1: { ...pool.token1, symbol: '\\' } } },
    { price: '1', priceUsd: '2', priceChangePct: '-3', tvlUsd: '4', volumeUsd: '5' },
    { price: null, priceUsd: null, priceChangePct: null, tvlUsd: null, volumeUsd: null },
    { pool: { ...pool, token0: { ...pool.token0, image: null }, token1: { ...pool.token1, image: null } } },
  ]
  for (const change of changes) {
    expectRecord(first)
    expectRecord({ ...first, ...change })
  }
})
