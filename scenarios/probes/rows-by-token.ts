import type { Target } from '../../contract/scenario-config.ts'
import { readOwedTo } from '../lib/market/read-unclaimed.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { CATCH_UP_GAP_MS } from '../lib/requests/persistence.ts'
import type { Credential } from '../lib/requests/request.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'

type Row = Record<string, unknown>

/**
 * Fails the rule if an API token has other public rows in /unclaimed than a session of the same wallet: the same rows four times
 * over half a minute, each time between two reads of the session that agree on them. Private rows are open.
 */
export async function judgeRowsByToken(
  target: Target,
  judge: Judge,
  { rule, session, bearer }: { rule: string; session: Credential; bearer: Credential },
): Promise<void> {
  let kept: string[] | undefined
  const compare = async () => {
    const owed = await readOwed(target, session)
    const shown = await readOwed(target, bearer)
    let other = findOtherRows(shown, owed)
    if (other.length > 0) {
      const again = new Set(findOtherRows(shown, await readOwed(target, session)))
      other = other.filter((text) => again.has(text))
    }
    kept = other.filter((text) => kept?.includes(text) ?? true)
    return kept
  }
  const { outcome, last, explanation } = await confirm({
    first: await compare(),
    describeError: ({ length }) =>
      length > 0 ? '/unclaimed has other rows for an API token than for a session of its wallet' : undefined,
    again: compare,
    witness: async () => ({ served: true, explanation: '/unclaimed' }),
    serverWaitMs: CATCH_UP_GAP_MS,
  })
  if (outcome === 'persistent') judge.fail(rule, explanation, last.slice(0, 5))
}

async function readOwed(target: Target, credential: Credential): Promise<Row[]> {
  const { reply } = await readOwedTo(target, credential)
  if (reply.status !== 200) throw new CannotJudge(`/unclaimed cannot be read: ${reply.evidence()}`)
  return ['pending_swaps', 'positions_with_owed'].flatMap(
    (list) => pickRows(reply.json, `data.${list}`) ?? [],
  )
}

/** Describes the public rows of either list that the other one lacks. */
export function findOtherRows(shown: readonly Row[], owed: readonly Row[]): string[] {
  return [
    ...listLacking(owed, shown).map((text) => `not for the token: ${text}`),
    ...listLacking(shown, owed).map((text) => `only for the token: ${text}`),
  ]
}

function listLacking(rows: readonly Row[], others: readonly Row[]): string[] {
  const known = new Set(others.map(identify))
  const texts = rows.filter((row) => row.is_private === false).map(identify)
  return texts.flatMap((text) => (text === undefined || known.has(text) ? [] : [text]))
}

const POSITION = ['token_id', 'pool', 'tick_lower', 'tick_upper'] as const

function identify(row: Row): string | undefined {
  const swap = pickText(row, 'swap_id')
  if (swap !== undefined) return `swap ${swap}`
  const parts = POSITION.flatMap((name) => pickText(row, name) ?? [])
  return parts.length === POSITION.length ? `position ${parts.join(' ')}` : undefined
}
