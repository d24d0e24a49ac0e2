import { putEntry } from '../journal.ts'
import type { ChainEvent } from './event.ts'
import { Refusal } from './refusal.ts'
import type { ChainState } from './state.ts'

/** What an address holds of a token, in base units; 0 where it never held any. */
export function balanceOf(state: ChainState, address: string, tokenId: string): bigint {
  return state.balances.get(address)?.get(tokenId) ?? 0n
}

/** Refuses a payment that the balance does not cover. To be called before anything changes. */
export function requireBalance(state: ChainState, address: string, tokenId: string, amount: bigint): void {
  if (balanceOf(state, address, tokenId) < amount) throw new Refusal('balance-too-low')
}

/** Moves a balance and says so; `delta` is negative for a payment. */
export function changeBalance(
  state: ChainState,
  address: string,
  tokenId: string,
  delta: bigint,
): ChainEvent {
  const balance = balanceOf(state, address, tokenId) + delta
  if (balance < 0n) throw new RangeError(`the balance of ${address} would be negative`)
  putEntry(state.journal, heldBy(state, address), tokenId, balance)
  return { kind: 'balanceChanged', address, tokenId, delta, balance }
}

function heldBy({ balances, journal }: ChainState, address: string): Map<string, bigint> {
  const known = balances.get(address)
  if (known) return known
  const held = new Map<string, bigint>()
  putEntry(journal, balances, address, held)
  return held
}
