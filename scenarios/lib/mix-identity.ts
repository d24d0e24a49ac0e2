import type { MixClient } from '../../contract/mix.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { CannotProbe } from './cannot.ts'
import { type Credential, isSuccess } from './request.ts'
import { credentialOf, endSession, refresh, type Session, signIn } from './session.ts'

/** Who a client of a mix is, to the target. */
export type Identity = {
  /** Of its balance room; undefined where it is not known. */
  address: string | undefined
  credential(): Credential | undefined
  /** Refreshes a session before its end; requests that are under way share one refresh. */
  keepFresh(): Promise<void>
  /** After a 401: a session is refreshed, once. False where nothing is left to try. */
  renew(): Promise<boolean>
  leave(): Promise<void>
}

/**
 * What the client sends: nothing, the API token of its number, or the cookies of a session that it signs in for. Throws
 * CannotProbe where the target was not given what that takes, CannotJudge where sign-in is refused.
 */
export async function identify(options: {
  target: Target
  client: MixClient
  wallets: readonly Wallet[]
  /** Of the VU: spreads VUs over tokens and wallets. */
  number: number
}): Promise<Identity> {
  const { target, client, number } = options
  if (client.credential === 'none') return fixed(undefined)
  if (client.credential === 'api-token')
    return fixed({ bearer: choose(target.apiTokens, number, 'API token') })
  const session = await signIn(target, choose(options.wallets, number, 'wallet'))
  return ofSession(target, session, client.refreshAfterSeconds * 1000)
}

function choose<Item>(items: readonly Item[], number: number, what: string): Item {
  const item = items[number % items.length]
  if (item === undefined) throw new CannotProbe(`a client of the mix needs a ${what}`)
  return item
}

function fixed(credential: Credential | undefined): Identity {
  return {
    address: undefined,
    credential: () => credential,
    keepFresh: async () => {},
    renew: async () => false,
    leave: async () => {},
  }
}

function ofSession(target: Target, session: Session, refreshAfterMs: number): Identity {
  let freshUntilMs = Date.now() + refreshAfterMs
  let refreshing: Promise<boolean> | undefined
  const renew = () => {
    refreshing ??= (async () => {
      const reply = await refresh(target, session)
      freshUntilMs = Date.now() + refreshAfterMs
      return isSuccess(reply)
    })().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  return {
    address: session.wallet.address,
    credential: () => credentialOf(session),
    async keepFresh() {
      if (Date.now() >= freshUntilMs) await renew()
    },
    renew,
    leave: () => endSession(target, session),
  }
}
