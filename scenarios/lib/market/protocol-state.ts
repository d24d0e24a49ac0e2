import type { Target } from '../../../contract/scenario-config.ts'
import { readCredential } from '../identity/credential.ts'
import { pickRevision } from '../pick.ts'
import { type Reply, request } from '../requests/request.ts'
import { hasControl } from '../time/has-control.ts'
import { CannotJudge, requireChoice } from '../verdict/cannot.ts'
import { elapse } from '../world/control.ts'

/**
 * Reads /protocol/state, authenticated if the profile requires it. With `minimum`, 503 is a valid response.
 */
export async function readProtocolState(target: Target, minimum?: bigint): Promise<Reply> {
  const open = target.profile.choices.protocolState.access === 'public'
  return request(target, {
    method: 'GET',
    path: '/protocol/state',
    query: minimum === undefined ? {} : { minimum_revision: String(minimum) },
    credential: open ? undefined : await readCredential(target),
    provokes: minimum === undefined ? [] : [503],
  })
}

/** More reads than a deployment has replicas behind a load balancer. */
const READS = 6

/** Longer than replicas of the stub lag. On other targets, the time between requests lets them catch up. */
const CATCH_UP_MS = 2000

/**
 * Returns the highest revision of several reads, because replicas may lag. Throws CannotJudge if a response
 * has none.
 */
export async function newestRevision(target: Target): Promise<bigint> {
  const path = requireChoice(target.profile.choices.protocolState.revision, 'the path of the revision')
  if (hasControl(target)) await elapse(target, CATCH_UP_MS)
  let newest = -1n
  for (let read = 0; read < READS; read++) {
    const state = await readProtocolState(target)
    const revision = pickRevision(state.json, path)
    if (revision === undefined) throw new CannotJudge(`no revision in the response: ${state.evidence()}`)
    if (revision > newest) newest = revision
  }
  return newest
}
