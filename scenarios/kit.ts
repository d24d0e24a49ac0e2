/**
 * The client kit for custom scenarios (docs/guides/custom-scenarios.md). These names are stable; anything not exported
 * here may change in any version.
 */
import { config, world } from './lib/config.ts'
import { walletsForLoad } from './lib/identity/wallet.ts'

export type { FeedOptions, RefetchReason } from '../client/keep-feed.ts'
export { type Followed, followFeed } from './lib/client/follow-feed.ts'
export { type Client, type ClientIs, openClient, withClient } from './lib/client/open-client.ts'
export { ClientStopped } from './lib/client/rest-client.ts'
export { vuRandom } from './lib/duties/k6-tools.ts'
export { type Feed, type FeedMessage, openFeed } from './lib/feed/feed.ts'
export { authenticate, openServedFeed, takeTicket } from './lib/feed/served-feed.ts'
export { readCredential } from './lib/identity/credential.ts'
export {
  endSession,
  getCredential,
  refresh,
  requireFullCredential,
  type Session,
  signIn,
  withSession,
} from './lib/identity/session.ts'
export { pick, pickRevision, pickRows, pickText } from './lib/pick.ts'
export { judge, type OwnRules, once, scenarioOptions } from './lib/probe/own-rules.ts'
export {
  type Credential,
  isSuccess,
  type Reply,
  type RequestSpec,
  request,
  requestAlone,
  send,
} from './lib/requests/request.ts'
export { type Walk, walkPages } from './lib/requests/walk.ts'
export { hasControl } from './lib/time/has-control.ts'
export { pause } from './lib/time/pause.ts'
export type { Judge } from './lib/verdict/judge.ts'
export { CannotJudge, CannotProbe } from './lib/verdict/judge.ts'
export { elapse } from './lib/world/control.ts'

export const target = world('main')

/** Wallets with access, except administrators. */
export const wallets = walletsForLoad(target, { withProbes: false })

/** Seed of all randomness in the run (`--seed`). */
export const { seed } = config
