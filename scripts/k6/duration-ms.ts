const UNITS_MS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  µs: 1e-3,
  ns: 1e-6,
}

/** Milliseconds of a duration as k6 writes them: `10m30s`, `1h0m0.5s`. Throws a RangeError for anything else. */
export function durationMs(text: string): number {
  if (!/^([0-9.]+(d|h|ms|m|s|µs|ns))+$/.test(text)) throw new RangeError(`not a duration: ${text}`)
  const parts = text.matchAll(/([0-9.]+)(d|h|ms|m|s|µs|ns)/g)
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS_MS[unit] ?? 0), 0)
}
