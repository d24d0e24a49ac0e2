import type { Page } from '../../indexer/views/views.ts'

/** What is given oldest first, in the order asked for. */
export function inOrder<Row>(rows: readonly Row[], order: 'oldest first' | 'newest first'): readonly Row[] {
  return order === 'oldest first' ? rows : rows.toReversed()
}

/** A page of a list read from its other end. */
export function pageFromEnd<Row>(
  read: (page: { limit: number; offset: number }) => Page<Row>,
  { limit, offset }: { limit: number; offset: number },
): Page<Row> {
  const { total } = read({ limit: 0, offset: 0 })
  const end = Math.max(0, total - offset)
  const start = Math.max(0, end - limit)
  return { rows: read({ limit: end - start, offset: start }).rows.toReversed(), total }
}
