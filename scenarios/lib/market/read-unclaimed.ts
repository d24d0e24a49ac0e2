import type { Target } from '../../../contract/scenario-config.ts'
import { readCredential } from '../identity/credential.ts'
import { pickRows } from '../pick.ts'
import type { Credential, Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { hasControl } from '../time/has-control.ts'
import { pause } from '../time/pause.ts'
import { control } from '../world/control.ts'

type OwedList = 'pending_swaps' | 'positions_with_owed'

/** Maximum number of wallets to query. */
const CREDENTIALS_MAX = 4
const WAIT_MS_MAX = 20_000
const STEPS_MAX = 60
const BLOCKS_AT_ONCE = 4

export type Unclaimed = { reply: Reply; credential: Credential }

/**
 * Returns what is owed to the first API-token wallet with a row in one of the lists, else to the wallet for
 * reads.
 */
export async function readUnclaimed(target: Target, lists: readonly OwedList[]): Promise<Unclaimed> {
  const first = await readOwedTo(target, await readCredential(target))
  if (hasRows(first, lists)) return first
  for (const bearer of target.apiTokens.slice(1, CREDENTIALS_MAX)) {
    const unclaimed = await readOwedTo(target, { bearer })
    if (hasRows(unclaimed, lists)) return unclaimed
  }
  return first
}

/** Like readUnclaimed, but lets the chain advance for a while if nothing is owed yet. */
export async function awaitUnclaimed(target: Target, lists: readonly OwedList[]): Promise<Unclaimed> {
  const until = Date.now() + WAIT_MS_MAX
  for (let step = 1; ; step++) {
    const unclaimed = await readUnclaimed(target, lists)
    if (hasRows(unclaimed, lists) || step === STEPS_MAX || Date.now() > until) return unclaimed
    await goOn(target)
  }
}

/** Mines a few blocks with the control API, else waits one second. */
export async function goOn(target: Target): Promise<void> {
  if (hasControl(target)) await control(target, '/mine', { blocks: BLOCKS_AT_ONCE })
  else await pause(1000)
}

export async function readOwedTo(target: Target, credential: Credential): Promise<Unclaimed> {
  return { credential, reply: await requestParsed(target, { path: '/unclaimed', credential }) }
}

function hasRows({ reply }: Unclaimed, lists: readonly OwedList[]): boolean {
  return reply.status === 200 && lists.some((list) => (pickRows(reply.json, `data.${list}`)?.length ?? 0) > 0)
}
