import type { Mix, MixClient } from '../../contract/mix.ts'
import { PROBE_WALLETS, type Target } from '../../contract/scenario-config.ts'

export type FittedMix = {
  /** Null where none of its clients can run. */
  mix: Mix | null
  /** The clients that were left out, each with the reason, in a sentence. */
  leftOut: string[]
}

/** Leaves out the clients for which the target gives no credentials: a load that is turned away at the door tells nothing. */
export function fitMix(mix: Mix, target: Target, writesRefused: string | null): FittedMix {
  const cases = mix.clients.map((client) => ({ client, why: whyNot(client, target, writesRefused) }))
  const clients = cases.filter(({ why }) => why === undefined).map(({ client }) => client)
  return {
    mix: clients.length === 0 ? null : { ...mix, clients },
    leftOut: cases
      .filter(({ why }) => why !== undefined)
      .map(({ client, why }) => `mix ${mix.name}: ${client.name} left out: ${why}`),
  }
}

function whyNot(
  { credential }: MixClient,
  { profile, wallets, apiTokens }: Target,
  writesRefused: string | null,
): string | undefined {
  if (credential === 'api-token' && apiTokens.length === 0) {
    return `no API token; the environment variable ${profile.credentials.apiTokens.env} is empty`
  }
  if (credential !== 'session') return undefined
  const signable = wallets.filter(({ hasAccess, admin }) => hasAccess && !admin)
  if (signable.length === 0) return 'no wallet with access in the profile that is not an administrator’s'
  if (profile.credentials.signer === null && signable.some((wallet) => wallet.privateKeyJwk === undefined)) {
    return 'a wallet has no private key, and the profile no signer'
  }
  if (signable.length < PROBE_WALLETS)
    return `probes share the wallets, as there are fewer than ${PROBE_WALLETS}`
  return writesRefused ?? undefined
}
