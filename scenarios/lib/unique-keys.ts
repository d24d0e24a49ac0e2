/** Pools told apart by tokens and fee, with their keys; those that share all three are left out. */
export function uniqueKeys(rows: readonly Record<string, unknown>[]): Map<string, unknown> {
  const names = rows.map((row) => `${row.token0} ${row.token1} ${row.fee}`)
  return new Map(
    rows
      .map((row, index) => [names[index] ?? '', row.key] as const)
      .filter(([name]) => names.indexOf(name) === names.lastIndexOf(name)),
  )
}
