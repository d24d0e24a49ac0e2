/** Contradictions within a row of /swaps or /unclaimed, and between rows of both for the same swap. */
import { pick, pickRows, pickText } from '../pick.ts'

type Row = Record<string, unknown>
type Problem = { rule: string; problem: string }

const INFO = 'wire.token-info.record'
const UNCLAIMED = 'wire.unclaimed.record'

/** A row needs no other to be wrong, so a single one counts. */
export function findContradictions(endpoint: string, json: unknown): Problem[] {
  if (endpoint === 'GET /swaps')
    return (pickRows(json, 'data') ?? []).flatMap((row) =>
      findOtherInfo(row, [
        ['input_token_info', 'input_token', 'output_token'],
        ['output_token_info', 'output_token', 'input_token'],
      ]),
    )
  if (endpoint !== 'GET /unclaimed') return []
  return [
    ...(pickRows(json, 'data.pending_swaps') ?? []).flatMap((row) =>
      findOtherInfo(row, [
        ['token_in_info', 'output.token_in', 'output.token_out'],
        ['token_out_info', 'output.token_out', 'output.token_in'],
      ]),
    ),
    ...(pickRows(json, 'data.positions_with_owed') ?? []).flatMap(findTurnedRange),
  ]
}

/** Token infos with the id of the row's other token. Ids of another form prove nothing. */
function findOtherInfo(row: Row, sides: readonly (readonly [string, string, string])[]): Problem[] {
  return sides.flatMap(([info, own, other]) => {
    const [id, ownId, otherId] = [`${info}.id`, own, other].map((path) => pickText(row, path))
    if (id === undefined || ownId === undefined || ownId === otherId || id !== otherId) return []
    return [{ rule: INFO, problem: `${info} is that of ${other}` }]
  })
}

function findTurnedRange({ tick_lower: lower, tick_upper: upper }: Row): Problem[] {
  if (typeof lower !== 'number' || typeof upper !== 'number' || lower <= upper) return []
  return [{ rule: UNCLAIMED, problem: `tick_lower ${lower} is above tick_upper ${upper}` }]
}

/**
 * Describes a pending swap that contradicts its row in /swaps: exchanged tokens, or another number of pools than is_multi_hop
 * says. Judges only swaps with one row.
 */
export function findOtherSwap(pending: readonly Row[], swaps: readonly Row[]): string | undefined {
  for (const one of pending) {
    const rows = swaps.filter(({ swap_id }) => typeof swap_id === 'string' && swap_id === one.swap_id)
    const [swap] = rows
    if (swap === undefined || rows.length > 1) continue
    const [input, output] = [pickText(swap, 'input_token'), pickText(swap, 'output_token')]
    const isExchanged =
      input !== undefined &&
      input !== output &&
      input === pickText(one, 'output.token_out') &&
      output === pickText(one, 'output.token_in')
    if (isExchanged) return 'token_in and token_out of a pending swap are exchanged in /swaps'
    const hops = pickRows(swap, 'hops') ?? []
    const pools = new Set(hops.flatMap((hop) => pickText(hop, 'pool') ?? []))
    const isMultiHop = pick(one, 'is_multi_hop')
    if (isMultiHop === false && pools.size > 1)
      return `is_multi_hop is false for a swap with ${pools.size} pools in /swaps`
  }
  return undefined
}
