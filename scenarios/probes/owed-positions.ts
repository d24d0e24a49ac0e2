import type { Target } from '../../contract/scenario-config.ts'
import { getCredential, withSession } from '../lib/identity/session.ts'
import { differentWallets } from '../lib/identity/wallet.ts'
import { goOn, readOwedTo } from '../lib/market/read-unclaimed.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { confirm } from '../lib/requests/confirm.ts'
import type { Credential } from '../lib/requests/request.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'

type Row = Record<string, unknown>

/** The wallets may have no position, so they are not followed for long. */
const ROUNDS_MAX = 5

/** Fails the rule if two wallets are shown the same position four times. Uses sessions, whose wallets are known. */
export async function judgeOwnPositions(target: Target, judge: Judge, rule: string): Promise<void> {
  const [one, other] = differentWallets(target, 'reads', 'foreignBalance')
  await withSession(target, one, (mine) =>
    withSession(target, other, async (foreign) => {
      const read = async () => {
        const first = await readPositions(target, getCredential(mine))
        const second = await readPositions(target, getCredential(foreign))
        return { count: first.length + second.length, shared: findSharedPositions(first, second) }
      }
      let first = await read()
      for (let round = 1; round < ROUNDS_MAX && first.count === 0; round++) {
        await goOn(target)
        first = await read()
      }
      const { outcome, last, explanation } = await confirm({
        first,
        describeError: ({ shared }) => (shared.length > 0 ? 'positions of another wallet' : undefined),
        again: read,
        witness: async () => ({ served: true, explanation: '/unclaimed' }),
      })
      const evidence = last.shared.slice(0, 3).map((row) => JSON.stringify(row))
      if (outcome === 'persistent') judge.fail(rule, explanation, evidence)
    }),
  )
}

async function readPositions(target: Target, credential: Credential): Promise<Row[]> {
  const { reply } = await readOwedTo(target, credential)
  if (reply.status !== 200) throw new CannotJudge(`/unclaimed cannot be read: ${reply.evidence()}`)
  return pickRows(reply.json, 'data.positions_with_owed') ?? []
}

/**
 * Public positions in both lists. Whether a token id is unique is open, so the pool, the range and the last transaction must be
 * the same too, or the amounts owed.
 */
export function findSharedPositions(first: readonly Row[], second: readonly Row[]): Row[] {
  return first.filter((row) => second.some((other) => isSame(row, other)))
}

const NAMES = ['token_id', 'pool', 'tick_lower', 'tick_upper']
const AMOUNTS = ['tokens_owed0', 'tokens_owed1']

function isSame(row: Row, other: Row): boolean {
  const agree = (name: string) => {
    const text = pickText(row, name) ?? ''
    return text !== '' && text === pickText(other, name)
  }
  if (row.is_private !== false || other.is_private !== false || !NAMES.every(agree)) return false
  const owesSome = AMOUNTS.some((name) => /[1-9]/.test(pickText(row, name) ?? ''))
  return agree('last_transaction_hash') || (owesSome && AMOUNTS.every(agree))
}
