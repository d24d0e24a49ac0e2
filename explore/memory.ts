/** Knowledge of a target from earlier commands and sequences of this process: a catalog of its market, its revision, and claims. */
import { findRevision } from '../client/exchange.ts'
import type { Profile } from '../contract/profile.ts'
import { type Catalog, readCatalog } from './catalog.ts'
import type { ExploreTarget } from './target.ts'

/** On the target's clock. */
export type Claims = {
  /** When the last accepted claim was sent; null: no such claim is known. */
  acceptedMs: number | null
  /** When the last claim was sent or returned, with any outcome. */
  triedMs: number
}

export type Memory = {
  /** Read once, so that later reads can be compared with it. */
  catalog(): Promise<Catalog>
  /** The highest revision that a response had. */
  revision: number | undefined
  /** Addresses for which API tokens were created, with the run that did first. */
  tokenOwners: Map<string, object>
  /** When this process first used the target. */
  startedMs: number
  /** By address. */
  claims: Map<string, Claims>
}

/** By profile, which wrapped targets share. */
const MEMORIES = new WeakMap<Profile, Memory>()

export function recall(target: ExploreTarget): Memory {
  const known = MEMORIES.get(target.profile)
  if (known) return known
  let catalog: Promise<Catalog> | undefined
  const memory: Memory = {
    catalog: () => (catalog ??= readCatalog(target)),
    revision: undefined,
    tokenOwners: new Map(),
    startedMs: target.nowMs(),
    claims: new Map(),
  }
  MEMORIES.set(target.profile, memory)
  return memory
}

export function noteRevision(target: ExploreTarget, body: unknown): void {
  const memory = recall(target)
  const revision = findRevision(body, target.profile.choices.protocolState.revision)
  if (revision !== undefined) memory.revision = Math.max(memory.revision ?? 0, revision)
}

/** True if an earlier run of this process has created API tokens for this address: revoked ones may count for a while. */
export function hadTokens(
  target: ExploreTarget,
  { address, run }: { address: string; run: object },
): boolean {
  const { tokenOwners } = recall(target)
  const owner = tokenOwners.get(address) ?? run
  tokenOwners.set(address, owner)
  return owner !== run
}

export function noteClaim(
  target: ExploreTarget,
  address: string,
  { acceptedMs }: { acceptedMs: number | null },
): void {
  const { claims } = recall(target)
  const known = claims.get(address)?.acceptedMs ?? null
  claims.set(address, { acceptedMs: acceptedMs ?? known, triedMs: target.nowMs() })
}
