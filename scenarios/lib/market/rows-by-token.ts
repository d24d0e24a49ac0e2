import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import { CATCH_UP_GAP_MS } from '../requests/persistence.ts'
import type { Credential, Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { CannotJudge, type Judge, unlessCannot } from '../verdict/judge.ts'
import { readOwedTo } from './read-unclaimed.ts'

type Row = Record<string, unknown>
/** Another read must have the first `sharedMax` rows, even if it orders rows of the same time in another way. */
export type List = { rows: readonly Row[]; sharedMax: number }

const READS = [
  { path: '/unclaimed', readList: readOwed },
  { path: '/swaps', readList: readSwaps },
]

/**
 * Fails the rule if an API token has other public rows than a session of the same wallet: the same rows four times over half a
 * minute, each time between two reads of the session that agree on them. Private rows are open.
 */
export async function judgeRowsByToken(
  target: Target,
  judge: Judge,
  options: { rule: string; session: Credential; bearer: Credential },
): Promise<void> {
  for (const list of READS) await unlessCannot(() => judgeList(target, judge, { ...list, ...options }))
}

type Compared = (typeof READS)[number] & Parameters<typeof judgeRowsByToken>[2]

async function judgeList(
  target: Target,
  judge: Judge,
  { rule, path, readList, session, bearer }: Compared,
): Promise<void> {
  const read = (credential: Credential) => readList(target, credential)
  let kept: string[] | undefined
  const compare = async () => {
    const before = await read(session)
    const shown = await read(bearer)
    let other = findOtherRows(shown, before)
    if (other.length > 0) {
      const after = new Set(findOtherRows(shown, await read(session)))
      other = other.filter((text) => after.has(text))
    }
    kept = other.filter((text) => kept?.includes(text) ?? true)
    return kept
  }
  const { outcome, last, explanation } = await confirm({
    first: await compare(),
    describeError: ({ length }) =>
      length > 0 ? `${path} has other rows for an API token than for a session of its wallet` : undefined,
    again: compare,
    witness: async () => ({ served: true, explanation: path }),
    serverWaitMs: CATCH_UP_GAP_MS,
  })
  if (outcome === 'persistent') judge.fail(rule, explanation, last.slice(0, 5))
}

async function readOwed(target: Target, credential: Credential): Promise<List> {
  const { reply } = await readOwedTo(target, credential)
  const lists = ['data.pending_swaps', 'data.positions_with_owed']
  const rows = lists.flatMap((list) => listRows(reply, list))
  return { rows, sharedMax: Number.POSITIVE_INFINITY }
}

const PAGE = 100

async function readSwaps(target: Target, credential: Credential): Promise<List> {
  const query = { limit: String(PAGE), offset: '0' }
  const rows = listRows(await requestParsed(target, { path: '/swaps', query, credential }), 'data')
  return { rows, sharedMax: PAGE / 2 }
}

function listRows(reply: Reply, path: string): Row[] {
  if (reply.status !== 200) throw new CannotJudge(`cannot be read: ${reply.evidence()}`)
  return pickRows(reply.json, path) ?? []
}

/** Describes the public rows of either list that the other one should also have, and lacks. */
export function findOtherRows(shown: List, own: List): string[] {
  return [
    ...listLacking(own, shown.rows).map((text) => `not for the token: ${text}`),
    ...listLacking(shown, own.rows).map((text) => `only for the token: ${text}`),
  ]
}

function listLacking({ rows, sharedMax }: List, others: readonly Row[]): string[] {
  const known = new Set(others.map(identify))
  // Private rows that one credential alone is shown leave less room on its page.
  const judged = rows.slice(0, Math.max(0, sharedMax - others.filter((row) => !isPublic(row)).length))
  const texts = judged.filter(isPublic).map(identify)
  return texts.flatMap((text) => (text === undefined || known.has(text) ? [] : [text]))
}

function isPublic(row: Row): boolean {
  return row.is_private === false
}

const POSITION = ['token_id', 'pool', 'tick_lower', 'tick_upper'] as const

function identify(row: Row): string | undefined {
  const swap = pickText(row, 'swap_id')
  if (swap !== undefined) return `swap ${swap}`
  const parts = POSITION.flatMap((name) => pickText(row, name) ?? [])
  return parts.length === POSITION.length ? `position ${parts.join(' ')}` : undefined
}
