import { AmmError } from '../../amm/amm-error.ts'
import { type Cumulatives, observe, wrapTickCumulative } from '../../amm/oracle.ts'
import { sqrtPriceX96AtTick } from '../../amm/tick-math.ts'
import type { IndexedPool } from '../index-state.ts'
import { priceText } from '../price.ts'
import type { OracleView } from '../views/market-views.ts'

/** The pool's oracle at each of these whole seconds before the last indexed block. */
export function oracleView(
  pool: IndexedPool,
  secondsAgos: readonly number[],
  nowMs: number,
): readonly (OracleView | null)[] {
  const timeS = Math.floor(nowMs / 1000)
  const [now] = observe(pool.amm, [0], timeS)
  return secondsAgos.map((secondsAgo) => {
    const then = observedThen(pool, secondsAgo, timeS)
    return now && then ? { secondsAgo, ...then, ...timeWeighted(pool, secondsAgo, then, now) } : null
  })
}

/** Undefined before the oldest observation. */
function observedThen({ amm }: IndexedPool, secondsAgo: number, timeS: number): Cumulatives | undefined {
  try {
    return observe(amm, [secondsAgo], timeS)[0]
  } catch (error) {
    if (error instanceof AmmError && error.code === 'OLD') return undefined
    throw error
  }
}

/** The mean tick, rounded down as in v3-periphery's OracleLibrary.consult, and the price at that tick. */
function timeWeighted(
  { token0, token1 }: IndexedPool,
  secondsAgo: number,
  then: Cumulatives,
  now: Cumulatives,
): { meanTick: number | null; price: string | null } {
  if (secondsAgo === 0) return { meanTick: null, price: null }
  const ticks = wrapTickCumulative(now.tickCumulative - then.tickCumulative)
  const seconds = BigInt(secondsAgo)
  const meanTick = Number(ticks / seconds) - (ticks < 0n && ticks % seconds !== 0n ? 1 : 0)
  return { meanTick, price: priceText(sqrtPriceX96AtTick(meanTick), token0, token1) }
}
