import { pickRows, pickText } from '../pick.ts'

/** The pools of a swap's route, in order; where it names no hops, the one that it names itself. */
export function poolsOfSwap(swap: unknown): string[] {
  const pools = (pickRows(swap, 'hops') ?? []).flatMap((hop) => pickText(hop, 'pool') ?? [])
  const own = pickText(swap, 'pool')
  return pools.length > 0 || own === undefined ? pools : [own]
}
