/** Pools told apart by tokens and fee, with their keys; those that share all three, or have no key, are left out. */
export function uniqueKeys(rows: readonly Record<string, unknown>[]): Map<string, unknown> {
  const named = rows.filter((row) => typeof row.key === 'string')
  const names = named.map((row) => JSON.stringify([row.token0, row.token1, row.fee]))
  return new Map(
    named
      .map((row, index) => [names[index] ?? '', row.key] as const)
      .filter(([name]) => names.indexOf(name) === names.lastIndexOf(name)),
  )
}
