import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from './credential.ts'
import { type Credential, type Reply, request } from './request.ts'

/**
 * Reads the configuration that an event announced, as a client does: a 503 says that it is pending, and how long to wait.
 * Where it is not public it takes the client's credential; without one it is not read.
 */
export async function readRevision(
  target: Target,
  credential: Credential | undefined,
  minimum: bigint,
): Promise<void> {
  const isOpen = target.profile.choices.protocolState.access === 'public'
  if (!isOpen && credential === undefined) return
  await request(target, {
    method: 'GET',
    path: '/protocol/state',
    query: { minimum_revision: String(minimum) },
    credential: isOpen ? undefined : credential,
  })
}

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
