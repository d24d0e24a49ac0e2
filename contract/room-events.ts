/** Room names and the event type of each. A name that ends in `:` takes a pool key or an address. */
export const ROOM_EVENTS = {
  pool_launches: 'PoolLaunch',
  'pool_stats:': 'PoolStats',
  'ohlcv:': 'Ohlcv',
  'trades:': 'Trade',
  'balances:': 'BalanceChange',
  protocol_config: 'ProtocolConfigChanged',
} as const

export type EventType = (typeof ROOM_EVENTS)[keyof typeof ROOM_EVENTS]
