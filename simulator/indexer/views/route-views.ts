import type { BlockRef } from './market-views.ts'

export type RouteHopView = {
  pool: string
  tokenIn: string
  tokenOut: string
  feePips: number
  amountIn: bigint
  amountOut: bigint
}

export type RouteView = {
  hops: readonly RouteHopView[]
  amountIn: bigint
  amountOut: bigint
  protocolRevision: number
  block: BlockRef
}
