import type { Target } from '../../contract/scenario-config.ts'
import { readCodes } from '../lib/identity/referral-codes.ts'
import { pickRows } from '../lib/pick.ts'
import { type Credential, type Reply, request, send } from '../lib/requests/request.ts'
import { check } from '../lib/verdict/check.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

/** Paths that a router may take for the exact one, but not the guard before it. */
const ALIASES = [
  { alias: '/swaps/', path: '/swaps' },
  { alias: '/swaps;x=1', path: '/swaps' },
  { alias: '/unclaimed/', path: '/unclaimed' },
] as const

/** Fails an alias that serves the records of a closed path without a credential. Other responses say nothing. Passes nothing. */
export async function judgeAliases(target: Target, judge: Judge, rule: string): Promise<void> {
  for (const { alias, path } of ALIASES)
    await unlessCannot(async () => {
      const reply = await send(target, { method: 'GET', path: alias, anybody: true })
      if (!isRecord(path, reply)) return
      const exact = await request(target, { method: 'GET', path })
      const seen = `without a credential GET ${alias} returns records, and GET ${path} ${exact.status}`
      if (isDenied(exact)) judge.fail(rule, seen, [reply.evidence(), exact.evidence()])
    })
}

function isRecord(path: (typeof ALIASES)[number]['path'], { status, json }: Reply): boolean {
  if (status !== 200) return false
  if (path === '/unclaimed') return check('unclaimedBody', json).length === 0
  return check('swapsPage', json).length === 0 && (pickRows(json, 'data')?.length ?? 0) > 0
}

const CODES_ALIAS = '/referral/codes/'

/** Like judgeAliases, for a session that must not get the referral codes; `exact` are its responses from their path. */
export async function judgeCodesAlias(
  target: Target,
  judge: Judge,
  { rule, credential, exact }: { rule: string; credential: Credential; exact: readonly Reply[] },
): Promise<void> {
  await unlessCannot(async () => {
    const reply = await readCodes(target, credential, CODES_ALIAS)
    const isServed = reply.status === 200 && check('codeInventory', reply.json).length === 0
    if (isServed && exact.length > 0 && exact.every(isDenied))
      judge.fail(rule, `GET ${CODES_ALIAS} returns the codes`, [reply.evidence()])
  })
}

function isDenied({ status }: Reply): boolean {
  return status === 401 || status === 403
}
