/** Pages of /explore/pools as bytes. */
import type { Choices } from '../../choices/choices.ts'
import type {
  ExploreOrder,
  ExploreQuery,
  ExploreRow,
  MetricWindow,
} from '../../indexer/views/market-views.ts'
import type { Views } from '../../indexer/views/views.ts'
import { explorePoolFigures, explorePoolTerms } from './records.ts'

type Ordering = Pick<ExploreQuery, 'window' | 'sort' | 'order'>

/** JSON rows separated by commas, without brackets; valid until the next block is indexed. */
type ExplorePage = { total: number; pieces: readonly Uint8Array[] }

/**
 * Serves pages of explore rows as bytes. A row is rendered again only if it changes; rows of an order are stored in contiguous
 * segments, so that a page is at most two slices. A segment is filled on demand, once per block. All memory is reused:
 * allocation would cost more than all other work.
 */
export function createExplorePages(options: {
  views: Pick<Views, 'exploreOrder'>
  render: RenderRow
}): (query: Ordering & { limit: number; offset: number }) => ExplorePage {
  const windows = new Map<MetricWindow, RenderedRows>()
  const shelves = new Map<string, Segment[]>()

  return ({ limit, offset, ...ordering }) => {
    const order = options.views.exploreOrder(ordering)
    const { window, sort } = ordering
    const renderedRows = madeOnce(windows, window, () => createRenderedRows(options.render))
    const shelf = madeOnce(shelves, `${window}/${sort}/${ordering.order}`, () => [])
    const total = order.places.length
    const pieces: Uint8Array[] = []
    const end = Math.min(offset + limit, total)
    for (let place = offset; place < end; ) {
      const number = Math.floor(place / SEGMENT_ROWS)
      const start = number * SEGMENT_ROWS
      const segment = shelf[number] ?? newSegment()
      shelf[number] = segment
      if (segment.order !== order) fill(segment, order, start, renderedRows(order.rows))
      const next = Math.min(end, start + SEGMENT_ROWS)
      // Without the comma before the page's first row.
      const from = (segment.starts[place - start] as number) + (place === offset ? 1 : 0) // as: within the segment
      pieces.push(segment.bytes.subarray(from, segment.starts[next - start]))
      place = next
    }
    return { total, pieces }
  }
}

function madeOnce<Name, Value>(known: Map<Name, Value>, name: Name, make: () => Value): Value {
  const value = known.get(name) ?? make()
  known.set(name, value)
  return value
}

/** A row as JSON in two parts, with a comma before it. `terms` is the same object until its content changes. */
type RenderRow = (row: ExploreRow) => { terms: Uint8Array; figures: string }

/** Returns the bytes of each of a block's rows, with a comma before it; valid until the row changes. */
type RenderedRows = (rows: readonly ExploreRow[]) => (place: number) => Uint8Array

/** For the rows of one window, by age. */
function createRenderedRows(render: RenderRow): RenderedRows {
  let known: readonly ExploreRow[] = []
  const seen: ExploreRow[] = []
  const memory: { bytes: Buffer; terms: Uint8Array | null }[] = []
  const rendered: (Uint8Array | null)[] = []

  const write = (place: number): Uint8Array => {
    const { terms, figures } = render(known[place] as ExploreRow) // as: within bounds
    const length = terms.length + Buffer.byteLength(figures)
    let room = memory[place]
    // Allocates separately: a slice of a shared slab would keep the whole slab alive.
    if (!room || room.bytes.length < length)
      room = { bytes: Buffer.allocUnsafeSlow(length + ROW_ROOM_BYTES), terms: null }
    memory[place] = room
    if (room.terms !== terms) room.bytes.set(terms)
    room.terms = terms
    room.bytes.write(figures, terms.length)
    return room.bytes.subarray(0, length)
  }
  const renderedAt = (place: number): Uint8Array => {
    const bytes = rendered[place] ?? write(place)
    rendered[place] = bytes
    return bytes
  }
  return (rows) => {
    if (rows !== known) {
      known = rows
      for (let place = 0; place < rows.length; place++) {
        const row = rows[place] as ExploreRow // as: within bounds
        if (row === seen[place]) continue
        seen[place] = row
        rendered[place] = null
      }
    }
    return renderedAt
  }
}

/** Headroom for rows that grow as figures change, so that their memory is not reallocated. */
const ROW_ROOM_BYTES = 48

/** Equal to the maximum page size. */
const SEGMENT_ROWS = 100
/** The same headroom for a segment. */
const ROOM = 1.1

/** Rows, each with a comma before it, and their start offsets; the last offset is the end. `order` is null before the first fill. */
type Segment = { order: ExploreOrder | null; bytes: Uint8Array; starts: Int32Array }

function newSegment(): Segment {
  return { order: null, bytes: new Uint8Array(0), starts: new Int32Array(SEGMENT_ROWS + 1) }
}

function fill(
  segment: Segment,
  order: ExploreOrder,
  start: number,
  renderedAt: (place: number) => Uint8Array,
): void {
  const { starts } = segment
  const places = order.places.subarray(start, start + SEGMENT_ROWS)
  let length = 0
  for (let row = 0; row < places.length; row++) {
    length += renderedAt(places[row] as number).length // as: within bounds, here and below
    starts[row + 1] = length
  }
  if (segment.bytes.length < length) segment.bytes = Buffer.allocUnsafeSlow(Math.ceil(length * ROOM))
  for (let row = 0; row < places.length; row++)
    segment.bytes.set(renderedAt(places[row] as number), starts[row] as number)
  segment.order = order
}

/** Renders rows as JSON like explorePoolRecord. Keeps the text of the terms of each pool: from block to block only figures change. */
export function createRowRenderer(choices: Choices): RenderRow {
  const known = new Map<string, { row: ExploreRow; bytes: Uint8Array }>()

  const renderTerms = (row: ExploreRow): Uint8Array => {
    const { key } = row.pool
    const terms = known.get(key)
    if (terms && hasSameTerms(terms.row, row)) return terms.bytes
    const bytes = Buffer.from(`,${JSON.stringify(explorePoolTerms(row, choices)).slice(0, -1)}`)
    known.set(key, { row, bytes })
    return bytes
  }
  return (row) => {
    const figures = JSON.stringify(explorePoolFigures(row, choices))
    return { terms: renderTerms(row), figures: figures === '{}' ? '}' : `,${figures.slice(1)}` }
  }
}

function hasSameTerms(one: ExploreRow, other: ExploreRow): boolean {
  const [a, b] = [one.pool, other.pool]
  return (
    a.token0 === b.token0 &&
    a.token1 === b.token1 &&
    a.enabled === b.enabled &&
    one.displayFlipped === other.displayFlipped &&
    a.feePips === b.feePips &&
    a.createdAtMs === b.createdAtMs &&
    a.id === b.id
  )
}
