/** Finest first; each interval is a multiple of the previous one. Days are in UTC. */
export const CANDLE_INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const

export type CandleInterval = (typeof CANDLE_INTERVALS)[number]

const MINUTE_MS = 60_000

export const INTERVAL_MS: Record<CandleInterval, number> = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '1d': 1440 * MINUTE_MS,
}

export function intervalStartMs(interval: CandleInterval, atMs: number): number {
  return atMs - (atMs % INTERVAL_MS[interval])
}
