/** Walks through lists (GET /explore/pools; Public pool and token endpoints): rows that are always there are on some page. */
import { at } from '../../client/exchange.ts'
import type { CommandOf } from '../sequence.ts'
import { explainChecked, explainWithout, isUnauthorized } from './credentials.ts'
import { checkOrder, expect200 } from './lists.ts'
import type { Done, Explained, Profiled, State, Violation, Walk } from './state.ts'

const RULES = {
  '/explore/pools': { complete: 'paging.explore.complete', open: 'access.public.explore' },
  '/pools': { complete: 'paging.pools.complete', open: 'access.public.pools' },
  '/swaps': { complete: 'paging.swaps.complete', open: 'paging.swaps.complete' },
}

export function explainWalk(state: State, done: Done<CommandOf<'walk'>>, { choices }: Profiled): Explained {
  const { command, outcome } = done
  const { list, by } = command
  if (list === '/swaps' && by === undefined)
    return explainWithout(state, done, 'auth.credentials.missing-401')
  const { complete, open } = RULES[list]
  return explainChecked(state, done, {
    by,
    check() {
      if (isUnauthorized(outcome)) return expect200(open, outcome)
      // A page size that is rejected is for other rules.
      if (outcome.isPersistent) return expect200(complete, outcome)
      const { walk } = outcome
      if (!walk) return undefined
      if (list === '/swaps') return checkSwapsWalk(walk, complete)
      const isSorted = list === '/explore/pools'
      return (
        checkPoolsWalk(walk, complete) ??
        (isSorted ? checkOrder(walk.rows, { isSorted, order: 'asc' }, choices) : checkKeys(walk))
      )
    },
  })
}

/** The order of /pools is not stated, so rows that move are on two pages: only totals show too many. */
function checkPoolsWalk(walk: Walk, rule: string): Violation | undefined {
  const [before, found, after] = [walk.before, walk.rows, walk.after].map((rows) => listIds(rows, 'key'))
  // A page of a replica that is behind has a smaller total, and moves the rows between two offsets.
  const isBehind = walk.totals.some((total, page) => total < (walk.totals[page - 1] ?? total))
  if (isBehind || !walk.isWhole || !before || !found || !after) return undefined
  const known = new Set(found)
  const lost = before.filter((key) => after.includes(key) && !known.has(key))
  // All pages may be those of a replica that is behind: it has as many rows as it says, but fewer than others.
  const isOlder =
    walk.totals.length > 0 &&
    walk.totals.every((total) => total === known.size) &&
    known.size < Math.min(before.length, after.length)
  if (lost.length > 0 && !isOlder)
    return {
      rule,
      expected: 'all pools that the list has before and after the walk',
      observed: `${found.length} rows without ${lost.slice(0, 3).join(', ')}`,
    }
  const [least, most] = [Math.min(...walk.totals), Math.max(...walk.totals)]
  if (walk.totals.length === 0 || (walk.rows.length >= least && walk.rows.length <= most)) return undefined
  return {
    rule,
    expected: `as many rows as \`total\` says: ${least === most ? least : `${least} to ${most}`}`,
    observed: `${walk.rows.length} rows`,
  }
}

/** Pools that tokens and fee identify have one key. */
function checkKeys({ before, rows, after }: Walk): Violation | undefined {
  const known = uniqueKeys(before)
  for (const each of [rows, after])
    for (const [pool, key] of uniqueKeys(each))
      if (known.has(pool) && known.get(pool) !== key)
        return {
          rule: 'paging.key.identical',
          expected: `the key ${known.get(pool)}, as before`,
          observed: `the key ${key}`,
        }
  return undefined
}

function uniqueKeys(rows: readonly unknown[]): Map<string, string> {
  const keys = new Map<string, string>()
  const shared = new Set<string>()
  for (const row of rows) {
    const name = JSON.stringify([at(row, 'token0'), at(row, 'token1'), at(row, 'fee')])
    const key = String(at(row, 'key'))
    if (keys.has(name) && keys.get(name) !== key) shared.add(name)
    keys.set(name, key)
  }
  for (const name of shared) keys.delete(name)
  return keys
}

/** Pages with a total: both whole ones, and both halves. */
const SWAP_TOTALS = 4

/** Two halves, compared with the whole page before and after them. If that page has changed, they prove nothing. */
function checkSwapsWalk(walk: Walk, rule: string): Violation | undefined {
  const [before, halves, after] = [walk.before, walk.rows, walk.after].map((rows) => listIds(rows, 'id'))
  const isReadable =
    walk.isWhole && walk.totals.length === SWAP_TOTALS && walk.totals[0] === walk.totals.at(-1)
  if (!isReadable || !before || !halves || before.join() !== after?.join()) return undefined
  const [total] = walk.totals
  const repeated = halves.find((id, place) => halves.indexOf(id) !== place)
  const lost = before.find((id) => !halves.includes(id))
  const problems: [boolean, string, string][] = [
    [new Set(walk.totals).size > 1, 'one total', walk.totals.join(', ')],
    [repeated !== undefined, 'each swap on one page', `${repeated} on two`],
    [lost !== undefined && halves.length >= before.length, 'the swaps of the whole page', `none is ${lost}`],
    [walk.last !== 1, `one swap at the last offset of ${total}`, `${walk.last} swaps`],
  ]
  const [, expected, observed] = problems.find(([isWrong]) => isWrong) ?? []
  return expected === undefined || observed === undefined ? undefined : { rule, expected, observed }
}

function listIds(rows: readonly unknown[], field: string): string[] {
  return rows.map((row) => String(at(row, field)))
}
