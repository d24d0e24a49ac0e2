import { pick, pickRows, pickText } from '../pick.ts'
import { isApart, type Sides } from './routes.ts'

type Row = Record<string, unknown>

/** The two tokens of each pool, as its record has them, by its key. */
type Pools = ReadonlyMap<string, Sides>

/**
 * Describes a pending swap that contradicts itself or its row in /swaps: more remaining than there was, exchanged tokens, another
 * recipient or privacy, or several pools although is_multi_hop is false. Compares only swaps with one row.
 */
export function findOtherSwap(pending: readonly Row[], swaps: readonly Row[]): string | undefined {
  for (const one of pending) {
    if (isAbove(pick(one, 'output.amount_remaining'), pick(one, 'output.amount_out')))
      return 'amount_remaining of a pending swap is above its amount_out'
    const rows = swaps.filter(({ swap_id }) => typeof swap_id === 'string' && swap_id === one.swap_id)
    const [swap] = rows
    const found = swap === undefined || rows.length > 1 ? undefined : findOtherField(one, swap)
    if (found !== undefined) return found
  }
  return undefined
}

function findOtherField(one: Row, swap: Row): string | undefined {
  const [input, output] = [pickText(swap, 'input_token'), pickText(swap, 'output_token')]
  const isExchanged =
    input !== undefined &&
    input !== output &&
    input === pickText(one, 'output.token_out') &&
    output === pickText(one, 'output.token_in')
  if (isExchanged) return 'token_in and token_out of a pending swap are exchanged in /swaps'
  const pools = new Set((pickRows(swap, 'hops') ?? []).flatMap((hop) => pickText(hop, 'pool') ?? []))
  // The opposite may be right: a swap of one hop may use the program function for several.
  if (one.is_multi_hop === false && pools.size > 1)
    return `is_multi_hop is false for a swap with ${pools.size} pools in /swaps`
  const isJudged = typeof one.is_private === 'boolean' && typeof swap.is_private === 'boolean'
  if (isJudged && one.is_private !== swap.is_private)
    return `is_private of a pending swap is ${one.is_private}, and ${swap.is_private} in /swaps`
  if (swap.is_private === false && isOtherText(pick(one, 'output.recipient'), swap.recipient))
    return 'the recipient of a pending swap is another one in /swaps'
  return undefined
}

/** In whatever case. Texts of different lengths may be two forms of one address. */
function isOtherText(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string' || one.length !== other.length) return false
  return one.toLowerCase() !== other.toLowerCase()
}

const BASE_UNITS = /^[0-9]+$/

function isAbove(one: unknown, other: unknown): boolean {
  const isComparable = [one, other].every((amount) => typeof amount === 'string' && BASE_UNITS.test(amount))
  return isComparable && BigInt(String(one)) > BigInt(String(other))
}

/** A problem with the pools whose records it depends on, and the swaps that show it. */
export type HopProblem = { problem: string; pools: readonly string[]; swaps: readonly Row[] }

/** Fewer could be swaps of a special kind. */
const SWAPS_MIN = 3

/**
 * Finds public swaps whose pools do not connect their tokens, though those of others do; two through one pool of which
 * one has the wrong zero_for_one, whichever it is; or swaps whose zero_for_one is always that of the other direction.
 */
export function findHopProblem(swaps: readonly Row[], pools: Pools): HopProblem | undefined {
  const tokens = new Set([...pools.values()].flat())
  const paths = swaps.flatMap((swap) => readPath(swap, pools, tokens) ?? [])
  const [apart] = paths.filter(({ isConnected }) => !isConnected)
  if (apart !== undefined && paths.filter(({ isConnected }) => isConnected).length >= SWAPS_MIN)
    return {
      problem: 'the pools of a swap do not connect its tokens',
      pools: apart.keys,
      swaps: [apart.swap],
    }
  const steps = paths.flatMap(listSteps)
  return findOpposite(steps) ?? findInverted(steps)
}

type Path = { swap: Row; hops: Row[]; keys: string[]; sides: Sides[]; isConnected: boolean } & Ends
type Ends = { tokenIn: string; tokenOut: string }

/** Undefined for private swaps, for pools without a record, and for tokens that no pool has, such as ids of another form. */
function readPath(swap: Row, pools: Pools, tokens: ReadonlySet<string>): Path | undefined {
  const [tokenIn, tokenOut] = [pickText(swap, 'input_token'), pickText(swap, 'output_token')]
  const hops = pickRows(swap, 'hops') ?? []
  const keys = hops.map((hop) => pickText(hop, 'pool') ?? '')
  const sides = keys.flatMap((key) => {
    const known = pools.get(key)
    return known === undefined ? [] : [known]
  })
  if (swap.is_private !== false || sides.length === 0 || sides.length < keys.length) return undefined
  if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) return undefined
  if (!tokens.has(tokenIn) || !tokens.has(tokenOut)) return undefined
  const ends = { tokenIn, tokenOut }
  return { swap, hops, keys, sides, isConnected: !isApart(sides, ends), ...ends }
}

/** A token that goes into a pool: from its token0 to its token1, if `isDown`. */
type Step = { swap: Row; pool: string; group: 'only' | 'first' | 'later'; isDown: boolean; flag: boolean }

function listSteps({ swap, hops, keys, sides, tokenIn, tokenOut }: Path): Step[] {
  const entering = findEntering(sides, { tokenIn, tokenOut })
  return sides.flatMap(([token0, token1], index): Step[] => {
    const [flag, token] = [hops[index]?.zero_for_one, entering?.[index]]
    if (typeof flag !== 'boolean' || token === undefined || token0 === token1) return []
    const group = sides.length === 1 ? 'only' : index === 0 ? 'first' : 'later'
    return [{ swap, pool: keys[index] ?? '', group, isDown: token === token0, flag }]
  })
}

/** The token that goes into each pool, if all pools form one path from the input to the output, whatever their order. */
function findEntering(sides: readonly Sides[], { tokenIn, tokenOut }: Ends): string[] | undefined {
  const entering: string[] = []
  const left = new Set(sides.keys())
  let token = tokenIn
  while (left.size > 0) {
    const next = [...left].filter((index) => sides[index]?.includes(token))
    const [index = -1] = next
    const pool = sides[index]
    if (pool === undefined || next.length > 1) return undefined
    entering[index] = token
    token = pool[0] === token ? pool[1] : pool[0]
    left.delete(index)
  }
  return token === tokenOut ? entering : undefined
}

/** In one pool, one token always goes in with true and the other one with false. */
function findOpposite(steps: readonly Step[]): HopProblem | undefined {
  const first = new Map<string, Step>()
  for (const step of steps) {
    const known = first.get(step.pool) ?? step
    first.set(step.pool, known)
    if ((known.flag === step.flag) !== (known.isDown === step.isDown))
      return {
        problem: 'zero_for_one of two swaps through one pool contradicts their input tokens',
        pools: [step.pool],
        swaps: [known.swap, step.swap],
      }
  }
  return undefined
}

/** A few swaps in each direction, in more than one pool, and none with the right flag. */
function findInverted(steps: readonly Step[]): HopProblem | undefined {
  for (const group of ['only', 'first', 'later']) {
    const ofGroup = steps.filter((step) => step.group === group)
    const [down, up] = [true, false].map((isDown) => ofGroup.filter((step) => step.isDown === isDown))
    const shown = [...(down ?? []).slice(0, SWAPS_MIN), ...(up ?? []).slice(0, SWAPS_MIN)]
    const pools = [...new Set(shown.map(({ pool }) => pool))]
    const isEnough = shown.length === 2 * SWAPS_MIN && pools.length > 1
    if (isEnough && ofGroup.every(({ isDown, flag }) => isDown !== flag))
      return {
        problem: `zero_for_one is inverted in every hop, in both directions`,
        pools,
        swaps: shown.map(({ swap }) => swap),
      }
  }
  return undefined
}
