import type { Target } from '../../../contract/scenario-config.ts'
import { readCredential } from '../identity/credential.ts'
import { pickRevision } from '../pick.ts'
import { type Reply, request } from '../requests/request.ts'
import { hasControl } from '../time/has-control.ts'
import { CannotJudge, told } from '../verdict/cannot.ts'
import { elapse } from '../world/control.ts'

/** Reads /protocol/state, with a credential where the profile says that it takes one. A 503 is an answer here. */
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

/** More than a deployment has replicas that take turns. */
const READS = 6

/** Replicas are behind by less: elsewhere, the time between requests lets them catch up. */
const CATCH_UP_MS = 2000

/** The greatest revision of several reads, as any of them may come from a replica that is behind. Throws CannotJudge if one has none. */
export async function newestRevision(target: Target): Promise<bigint> {
  const path = told(target.profile.choices.protocolState.revision, 'where the revision lies')
  if (hasControl(target)) await elapse(target, CATCH_UP_MS)
  let newest = -1n
  for (let read = 0; read < READS; read++) {
    const state = await readProtocolState(target)
    const revision = pickRevision(state.json, path)
    if (revision === undefined) throw new CannotJudge(`no revision to ask for: ${state.evidence()}`)
    if (revision > newest) newest = revision
  }
  return newest
}
