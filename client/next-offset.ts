/** Where the next page begins; undefined where this one was the last. By the rows that came, not by those asked for. */
export function nextOffset(page: { offset: number; rows: number; total: number }): number | undefined {
  const next = page.offset + page.rows
  return page.rows === 0 || next >= page.total ? undefined : next
}
