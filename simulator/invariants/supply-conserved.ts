import type { Checker } from './evidence.ts'

/** Every unit ever minted is in a wallet, a pool or an output that nobody has claimed yet. */
export const supplyConserved: Checker = ({ chain, index, book }) => {
  const held = new Map<string, bigint>()
  const add = (tokenId: string, amount: bigint) => held.set(tokenId, (held.get(tokenId) ?? 0n) + amount)
  for (const wallet of chain.balances.values()) for (const [tokenId, amount] of wallet) add(tokenId, amount)
  for (const { token0, token1, balance0, balance1 } of chain.pools.values()) {
    add(token0, balance0)
    add(token1, balance1)
  }
  for (const { tokenId, amountRemaining } of chain.pendingOutputs.values()) add(tokenId, amountRemaining)
  return [...chain.tokens.values()].flatMap(({ id, symbol, supply }) => {
    const counts = {
      held: held.get(id) ?? 0n,
      minted: book.minted.get(id) ?? 0n,
      indexed: index.tokens.get(id)?.supply,
    }
    return Object.entries(counts)
      .filter(([, count]) => count !== supply)
      .map(([name, count]) => `token ${symbol}: supply ${supply}, ${name} ${count}`)
  })
}
