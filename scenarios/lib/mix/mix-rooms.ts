import type { MixClient } from '../../../contract/mix.ts'
import type { Memory } from './mix-memory.ts'

type Counts = NonNullable<MixClient['feed']>['rooms']

const POOL_ROOMS = ['pool_stats', 'ohlcv', 'trades'] as const
const SINGLE_ROOMS = ['pool_launches', 'protocol_config'] as const

/** The rooms that a client joins: the pools of all kinds of rooms are the same, as one looks at a pool in several ways. */
export function mixRooms(options: {
  counts: Counts
  memory: Memory
  skew: number
  /** Of the client's own wallet; undefined where it is not known. */
  address: string | undefined
  random: () => number
}): string[] {
  const { counts, memory, address } = options
  const pools = memory.pickSome(Math.max(...POOL_ROOMS.map((room) => counts[room])), options)
  return [
    ...SINGLE_ROOMS.filter((room) => counts[room] > 0),
    ...(counts.balances > 0 && address !== undefined ? [`balances:${address}`] : []),
    ...POOL_ROOMS.flatMap((room) => pools.slice(0, counts[room]).map(({ key }) => `${room}:${key}`)),
  ]
}
