export type PoolSpellings = {
  /** The key of a pool that this text is another spelling of; null where it is like none. */
  otherSpelling(text: string): string | null
}

const PAGE = 1000

/**
 * Finds the key that somebody had: by case, percent-encoding, Unicode form or white space alone a text differs from it. Asked
 * only where a pool was not found. Pools are read as they are added.
 */
export function createPoolSpellings(options: {
  /** The pools, oldest first, with their keys as the exchange writes them. */
  keys(page: { offset: number; limit: number }): readonly string[]
}): PoolSpellings & { forget(): void } {
  const byForm = new Map<string, string>()
  let known = 0
  const learn = () => {
    for (;;) {
      const keys = options.keys({ offset: known, limit: PAGE })
      for (const key of keys) byForm.set(loosely(key), key)
      known += keys.length
      if (keys.length < PAGE) return
    }
  }
  return {
    otherSpelling(text) {
      learn()
      const key = byForm.get(loosely(text))
      return key === undefined || key === text ? null : key
    },
    forget() {
      byForm.clear()
      known = 0
    },
  }
}

/** The same for all that a client might make of a key by mistake. */
function loosely(text: string): string {
  let form = text
  for (let round = 0; round < 2; round++) form = decoded(form)
  return form.normalize('NFC').replace(/[\s+]/gu, '').toLowerCase()
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
