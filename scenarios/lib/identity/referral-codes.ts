import type { Target } from '../../../contract/scenario-config.ts'
import { pick, pickRows, pickText } from '../pick.ts'
import { redactor } from '../redact.ts'
import { withEvidence } from '../requests/reply.ts'
import { type Credential, type Reply, request } from '../requests/request.ts'

/** Unredeemed codes are secrets, so no response body goes into evidence. */
export async function readCodes(
  target: Target,
  credential: Credential,
  path = '/referral/codes',
): Promise<Reply> {
  const reply = await request(target, { method: 'GET', path, credential })
  for (const row of pickRows(reply.json, 'data.codes') ?? []) redactor.add(pickText(row, 'code'))
  return withEvidence(reply, () => `GET ${path} -> ${reply.status}`)
}

/** Returns an unredeemed code that does not belong to `wallet`. */
export function availableCode(inventory: unknown, wallet: { address: string }): string | undefined {
  const rows = pickRows(inventory, 'data.codes') ?? []
  // The fields are strings: not yet redeemed may be an empty one.
  const isEmpty = (row: unknown, field: string) => ['', null, undefined].includes(pickText(row, field))
  const isFree = (row: unknown) =>
    isEmpty(row, 'redeemed_by') && isEmpty(row, 'redeemed_at') && pick(row, 'issued_to') !== wallet.address
  return pickText(rows.find(isFree), 'code')
}
