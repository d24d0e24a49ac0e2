import type { Target } from '../../../contract/scenario-config.ts'
import { busyPools } from './busy-pools.ts'

/** Rooms of the pools with the most recent swaps, where something is to be heard soon: for each pool one of each kind. */
export async function busyRooms(
  target: Target,
  {
    count,
    kinds = ['pool_stats'],
  }: { count: number; kinds?: readonly ('pool_stats' | 'trades' | 'ohlcv')[] },
): Promise<string[]> {
  const pools = await busyPools(target)
  return pools.flatMap((key) => kinds.map((kind) => `${kind}:${key}`)).slice(0, count)
}
