import type { Checker } from './evidence.ts'

type Balances = ReadonlyMap<string, ReadonlyMap<string, bigint>>

/** A wallet holds what was transferred to it less what it paid, by chain and indexer alike, and nobody is in debt. */
export const balancesEqualTransfers: Checker = ({ chain, index, book }) => [
  ...differences('chain', chain.balances, book.balances),
  ...differences('index', index.balances, book.balances),
  ...flatten(chain.balances)
    .filter(({ amount }) => amount < 0n)
    .map(({ address, token, amount }) => `chain: ${address} has ${amount} of ${token}`),
]

function differences(where: string, found: Balances, transferred: Balances): readonly string[] {
  const held = (balances: Balances, address: string, token: string) => balances.get(address)?.get(token) ?? 0n
  const seen = new Map(
    [...flatten(found), ...flatten(transferred)].map((row) => [`${row.address}/${row.token}`, row]),
  )
  return [...seen.values()].flatMap(({ address, token }) => {
    const [amount, expected] = [held(found, address, token), held(transferred, address, token)]
    return amount === expected
      ? []
      : [`${where}: ${address} has ${amount} of ${token}, transfers give ${expected}`]
  })
}

function flatten(balances: Balances): readonly { address: string; token: string; amount: bigint }[] {
  return [...balances].flatMap(([address, held]) =>
    [...held].map(([token, amount]) => ({ address, token, amount })),
  )
}
