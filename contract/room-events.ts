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

/** Returns one spelling of a room's name: pool keys are exact strings, addresses may be in any case. */
export function normalizeRoom(room: string): string {
  return room.startsWith('balances:') ? room.toLowerCase() : room
}

/** `*` is for all other types. */
export const EVENT_PATH_TYPES = [...Object.values(ROOM_EVENTS), '*'] as const

/** A dotted path into an event, or one for each event type. Null if unknown. */
export type EventPath = string | null | { readonly [Type in EventType | '*']?: string | null | undefined }

/** Returns the path for events of this type; null if the profile does not state it. */
export function findEventPath(paths: EventPath, type: unknown): string | null {
  if (paths === null || typeof paths === 'string') return paths
  const name = typeof type === 'string' && Object.hasOwn(paths, type) ? type : '*'
  return paths[name as keyof typeof paths] ?? null // as: one of its names
}

/** Problems of the scope/key pairs that an event about the configuration has at this path. */
export function listChangeProblems(changes: unknown, path: string): string[] {
  if (!Array.isArray(changes) || changes.length === 0) return [`no changes at ${path}`]
  const isPair = (one: unknown) => typeof one === 'object' && one !== null && 'scope' in one && 'key' in one
  return changes.every(isPair) ? [] : ['a change without its scope or key']
}
