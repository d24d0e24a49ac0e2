import type { Checker } from './evidence.ts'

/** What a pool's figures call its volume is the sum of what swaps paid and got there. */
export const volumesEqualSwaps: Checker = ({ index, book }) =>
  [...index.pools.values()].flatMap(({ view: { key }, history }) => {
    const last = history.at(-1)
    const { volume0, volume1 } = book.volumes.get(key) ?? { volume0: 0n, volume1: 0n }
    const equal = last?.volume0Total === volume0 && last.volume1Total === volume1
    const shown = `${last?.volume0Total} and ${last?.volume1Total}`
    return equal ? [] : [`pool ${key}: volumes ${shown}, swaps give ${volume0} and ${volume1}`]
  })
