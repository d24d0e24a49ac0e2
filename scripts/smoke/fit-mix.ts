import type { Mix, MixClient } from '../../contract/mix.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { isLoopback } from '../is-loopback.ts'

export type FittedMix = {
  /** Null where none of its clients can run. */
  mix: Mix | null
  /** The clients that were left out, each with the reason, in a sentence. */
  leftOut: string[]
}

/** Leaves out the clients for which the target gives no credentials: a load that is turned away at the door tells nothing. */
export function fitMix(mix: Mix, target: Target): FittedMix {
  const cases = mix.clients.map((client) => ({ client, why: whyNot(client, target) }))
  const clients = cases.filter(({ why }) => why === undefined).map(({ client }) => client)
  return {
    mix: clients.length === 0 ? null : { ...mix, clients },
    leftOut: cases
      .filter(({ why }) => why !== undefined)
      .map(({ client, why }) => `mix ${mix.name}: ${client.name} left out: ${why}`),
  }
}

function whyNot({ credential }: MixClient, { profile, wallets, apiTokens }: Target): string | undefined {
  if (credential === 'api-token' && apiTokens.length === 0) {
    return `no API token; the environment variable ${profile.credentials.apiTokens.env} is empty`
  }
  if (credential !== 'session') return undefined
  const signable = wallets.filter(({ hasAccess, admin }) => hasAccess && !admin)
  if (signable.length === 0) return 'no wallet with access in the profile that is not an administrator’s'
  if (profile.credentials.signer === null && signable.some((wallet) => wallet.privateKeyJwk === undefined)) {
    return 'a wallet has no private key, and the profile no signer'
  }
  const isHere = [profile.baseUrl, profile.wsUrl].every(isLoopback)
  return isHere || profile.allow.mutations ? undefined : 'signing in writes, and allow.mutations is not set'
}
