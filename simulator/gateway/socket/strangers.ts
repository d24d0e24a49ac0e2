import type { FeedChoices } from '../../choices/feed-choices.ts'

/** Why a connection finds no place: its address has as many as it may, or all together have. */
export type Crowd = 'address' | 'all'

/** Counts the connections that have not authenticated, by their peers' addresses, and bounds them. */
export type Strangers = {
  /** A place until `leave` is called, or why there is none. */
  admit(address: string): { crowd: Crowd | null; leave(): void }
}

/** Nobody waits yet. */
export function createStrangers(
  bounds: Pick<FeedChoices, 'strangersMax' | 'strangersPerAddressMax'>,
): Strangers {
  const byAddress = new Map<string, number>()
  let total = 0

  return {
    admit(address) {
      const ofAddress = byAddress.get(address) ?? 0
      if (ofAddress >= bounds.strangersPerAddressMax) return { crowd: 'address', leave() {} }
      if (total >= bounds.strangersMax) return { crowd: 'all', leave() {} }
      byAddress.set(address, ofAddress + 1)
      total++
      let isHere = true
      return {
        crowd: null,
        leave() {
          if (!isHere) return
          isHere = false
          total--
          const left = (byAddress.get(address) ?? 0) - 1
          if (left > 0) byAddress.set(address, left)
          else byAddress.delete(address)
        },
      }
    },
  }
}
