import type { Mix, MixClient } from '../../contract/mix.ts'
import { PROBE_WALLETS, type Target } from '../../contract/scenario-config.ts'
import { whyNoOwnTokens } from '../own-tokens/own-tokens.ts'

export type FittedMix = {
  /** Null where none of its clients can run. */
  mix: Mix | null
  /** The clients that were left out, each with the reason. */
  leftOut: { client: string; why: string }[]
}

type Beside = {
  /** Why nothing may be changed; null: it may. */
  writesRefused: string | null
  /** Whether probes run at the same time, which need wallets of their own. */
  besideProbes: boolean
  /** Whether the run makes API tokens if none is given. */
  makesTokens: boolean
}

/** Leaves out the clients for which the target gives no credentials: a load that is turned away at the door tells nothing. */
export function fitMix(mix: Mix, target: Target, beside: Beside): FittedMix {
  const cases = mix.clients.map((client) => ({ client, why: whyNot(client, target, beside) }))
  const clients = cases.filter(({ why }) => why === undefined).map(({ client }) => client)
  return {
    mix: clients.length === 0 ? null : { ...mix, clients },
    leftOut: cases.flatMap(({ client, why }) => (why === undefined ? [] : [{ client: client.name, why }])),
  }
}

function whyNot(
  { credential }: MixClient,
  { profile, wallets, apiTokens }: Target,
  { writesRefused, besideProbes, makesTokens }: Beside,
): string | undefined {
  if (credential === 'api-token' && apiTokens.length === 0) {
    const why = makesTokens ? whyNoOwnTokens({ profile, wallets }, writesRefused) : 'this run makes none'
    const { env } = profile.credentials.apiTokens
    return why && `no API token; the environment variable ${env} is empty, and none can be made: ${why}`
  }
  if (credential !== 'session') return undefined
  const signable = wallets.filter(({ hasAccess, admin }) => hasAccess && !admin)
  if (signable.length === 0) return 'no wallet with access in the profile that is not an administrator’s'
  if (profile.credentials.signer === null && signable.some((wallet) => wallet.privateKeyJwk === undefined)) {
    return 'a wallet has no private key, and the profile no signer'
  }
  if (besideProbes && signable.length < PROBE_WALLETS)
    return `probes share the wallets, as there are fewer than ${PROBE_WALLETS}`
  return writesRefused ?? undefined
}
