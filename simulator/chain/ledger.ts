import type { ChainEvent } from './event.ts'
import { Refusal } from './refusal.ts'
import type { ChainState } from './state.ts'

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
  const held = state.balances.get(address) ?? new Map<string, bigint>()
  held.set(tokenId, balance)
  state.balances.set(address, held)
  return { kind: 'balanceChanged', address, tokenId, delta, balance }
}
