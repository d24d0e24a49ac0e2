import type { Target } from '../../../contract/scenario-config.ts'
import { readCredential } from '../identity/credential.ts'
import { type Reply, request } from '../requests/request.ts'

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
