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

/**
 * Describes counts of an inventory that contradict its rows or each other. Undefined without a contradiction. Available and redeemed
 * codes are compared with the total only if each code of it has a row.
 */
export function findCountProblem(inventory: unknown): string | undefined {
  const [total, available, redeemed] = ['total', 'available', 'redeemed'].map((name) =>
    pick(inventory, `data.${name}`),
  )
  const rows = pickRows(inventory, 'data.codes') ?? []
  if (typeof total !== 'number' || typeof available !== 'number' || typeof redeemed !== 'number')
    return undefined
  const taken = rows.filter((row) => !isEmpty(row, 'redeemed_by')).length
  if (redeemed < taken) return `redeemed is ${redeemed}, and ${taken} codes have redeemed_by`
  if (rows.length === total && available + redeemed > total)
    return `available ${available} and redeemed ${redeemed} are more than the total ${total}`
  return undefined
}

/** The fields are strings: not yet redeemed may be an empty one. */
function isEmpty(row: unknown, field: string): boolean {
  return ['', null, undefined].includes(pickText(row, field))
}

/** Returns an unredeemed code that does not belong to `wallet`. */
export function availableCode(inventory: unknown, wallet: { address: string }): string | undefined {
  const rows = pickRows(inventory, 'data.codes') ?? []
  const isFree = (row: unknown) =>
    isEmpty(row, 'redeemed_by') && isEmpty(row, 'redeemed_at') && pick(row, 'issued_to') !== wallet.address
  return pickText(rows.find(isFree), 'code')
}
