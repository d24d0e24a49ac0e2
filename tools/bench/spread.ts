/** The median, and the least and the most in brackets. */
export function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  return `${show(quantile(sorted, 0.5))} (${show(sorted[0])} to ${show(sorted.at(-1))})`
}

/** Of values in ascending order: the least that so large a share of them does not exceed. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? Number.NaN
}

function show(value = Number.NaN): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })
}
