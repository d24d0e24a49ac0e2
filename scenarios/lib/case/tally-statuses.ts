/** Statuses as people read them, the lowest first, as in a race nobody decides the order: `200, 49 x 409`. */
export function tallyStatuses(replies: readonly { status: number }[]): string {
  const counts = new Map<number, number>()
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => (count === 1 ? `${status}` : `${count} x ${status}`))
    .join(', ')
}
