/** Statuses as people read them, in the order in which they first came: `200, 49 x 409`. */
export function tallyStatuses(replies: readonly { status: number }[]): string {
  const counts = new Map<number, number>()
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => (count === 1 ? `${status}` : `${count} x ${status}`)).join(', ')
}
