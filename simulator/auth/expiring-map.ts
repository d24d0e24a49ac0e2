import type { Clock } from '../clock.ts'
import type { Saves } from '../undo-log.ts'

export type ExpiringMap<Value> = Saves<ExpiringEntries<Value>> & {
  /** Sets a new key. Returns its expiry by the map's lifetime, even if a shorter life ends it earlier. */
  add(key: string, value: Value, shorterLifeMs?: number): number
  get(key: string): Value | undefined
  take(key: string): Value | undefined
  size(): number
}

export type ExpiringEntries<Value> = Map<string, { value: Value; expiresAtMs: number }>

/**
 * A map whose entries expire on the virtual clock. Except for shorter lives, all lifetimes are equal, so insertion order is
 * expiry order, and each `add` removes expired entries from the front.
 */
export function createExpiringMap<Value>(options: { clock: Clock; lifetimeMs: number }): ExpiringMap<Value> {
  const { clock, lifetimeMs } = options
  let entries: ExpiringEntries<Value> = new Map()

  const sweep = () => {
    for (const [key, entry] of entries) {
      if (entry.expiresAtMs > clock.nowMs()) return
      entries.delete(key)
    }
  }
  const get = (key: string) => {
    const entry = entries.get(key)
    return entry && entry.expiresAtMs > clock.nowMs() ? entry.value : undefined
  }

  return {
    add(key, value, shorterLifeMs = lifetimeMs) {
      sweep()
      const nowMs = clock.nowMs()
      entries.set(key, { value, expiresAtMs: nowMs + Math.min(shorterLifeMs, lifetimeMs) })
      return nowMs + lifetimeMs
    },
    get,
    take(key) {
      const value = get(key)
      entries.delete(key)
      return value
    },
    size: () => entries.size,
    save: () => entries,
    restore(saved) {
      entries = saved
    },
  }
}
