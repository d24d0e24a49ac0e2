import type { MixClient } from '../../../contract/mix.ts'
import type { Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { ClientIs } from '../client/open-client.ts'
import { CannotProbe } from '../verdict/cannot.ts'

/**
 * Who a client of a mix is, to the target: nobody, the API token of its number, or the wallet of it, which signs in. Throws
 * CannotProbe where the target was not given what that takes.
 */
export function mixIdentity(options: {
  target: Target
  client: MixClient
  wallets: readonly Wallet[]
  /** Of the VU: spreads VUs over tokens and wallets. */
  number: number
}): ClientIs {
  const { target, client, wallets, number } = options
  if (client.credential === 'none') return 'nobody'
  if (client.credential === 'api-token') return { apiToken: choose(target.apiTokens, number, 'API token') }
  return { wallet: choose(wallets, number, 'wallet') }
}

function choose<Item>(items: readonly Item[], number: number, what: string): Item {
  const item = items[number % items.length]
  if (item === undefined) throw new CannotProbe(`a client of the mix needs a ${what}`)
  return item
}
