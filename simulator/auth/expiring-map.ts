import type { Clock } from '../clock.ts'
import type { Saves } from '../undo-log.ts'

export type ExpiringMap<Value> = Saves<ExpiringEntries<Value>> & {
  /** Sets a new key. Returns when it expires by the lifetime of the map; a shorter life ends it before, unsaid. */
  add(key: string, value: Value, shorterLifeMs?: number): number
  get(key: string): Value | undefined
  /** Takes a key out: its value, where it has not expired. */
  take(key: string): Value | undefined
  size(): number
}

export type ExpiringEntries<Value> = Map<string, { value: Value; expiresAtMs: number }>

/**
 * A map whose entries die of age on the virtual clock. All but those of a shorter life live equally long, so the order of
 * insertion is that of expiry, and the dead are swept from the front whenever one is added.
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
