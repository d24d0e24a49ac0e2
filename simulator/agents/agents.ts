/**
 * Agents that make the market: they found the world, trade, provide liquidity, claim, launch tokens and govern. Their preferences
 * are floats; the transactions they send are exact. They read the chain's state and never change it.
 */

import type { ChainState } from '../chain/state.ts'
import type { TokenDraft, Transaction } from '../chain/transaction.ts'
import { logNormal, pickByWeight, type Random, type RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { type ArbitrageMemory, arbitrage, rememberMoved } from './arbitrageur.ts'
import { draftRandomToken, type FoundingTokens, foundWorld } from './founder.ts'
import { type GovernanceMemory, govern } from './governor.ts'
import { drawPriceUsd, type Market, moveMarket, type Outside, quoteToken } from './market.ts'
import { fundOpenings, openPool } from './open-pool.ts'
import { createPeople, type People } from './people.ts'
import { provideLiquidity } from './provider.ts'
import { trade } from './trader.ts'

export type Agents = {
  foundingBlocks: number
  people: People
  tokens: FoundingTokens
  state: AgentsState
  act(state: ChainState, elapsedMs: number): readonly Transaction[]
}

/** Creates the agents of a new world. `accounts` are external wallets; agents trade on behalf of some of them. */
export function createAgents(options: {
  fixture: WorldFixture
  random: Random
  accounts: readonly string[]
}): Agents {
  const { fixture, random, accounts } = options
  const people = createPeople(random.stream('agents/people'), {
    accounts,
    traders: fixture.traders,
    providers: fixture.liquidity.providers,
  })
  const quotes = random.stream('agents/market')
  const { tokens, market, blocks } = foundWorld({
    fixture,
    people,
    stream: random.stream('agents/founder'),
    quotes,
  })
  const memory: AgentsState = {
    market,
    arbitrage: { moved: [], nextPool: 0 },
    governance: { inForce: [], unlisted: [], frozen: null },
  }
  const hubs = [tokens.stable, tokens.native]
  return {
    foundingBlocks: blocks.length,
    people,
    tokens,
    state: memory,
    act(state, elapsedMs) {
      const outside = { market: memory.market, rules: fixture.market, stream: quotes }
      moveMarket(outside, state.timeMs + elapsedMs)
      const sent = [
        ...(blocks[state.height + 1] ?? []),
        // First: traders move the prices that arbitrage was computed from.
        ...arbitrage({
          state,
          outside,
          memory: memory.arbitrage,
          sender: people.arbitrageur,
          hubs: hubs.map(({ id }) => id),
          rules: fixture.arbitrage,
        }),
        ...trade({ state, outside, people, fixture, stream: random.stream('agents/traders') }),
        ...provideLiquidity({ state, outside, people, fixture, stream: random.stream('agents/providers') }),
        ...claimOutputs(state, random.stream('agents/claimers'), fixture.claims),
        ...visitFaucet(people, random.stream('agents/faucet'), fixture.faucet),
        ...launch({
          state,
          outside,
          people,
          fixture,
          hubs,
          unlisted: memory.governance.unlisted,
          stream: random.stream('agents/launcher'),
        }),
        ...govern({
          state,
          memory: memory.governance,
          people,
          fixture,
          stream: random.stream('agents/governor'),
        }),
      ]
      rememberMoved(memory.arbitrage, sent, people.arbitrageur)
      return sent
    },
  }
}

/** Traders claim from the faucet, sometimes too early, so that the chain refuses them. Never claims for `accounts`. */
function visitFaucet(
  { traders }: People,
  stream: RandomStream,
  { claimsPerBlock }: WorldFixture['faucet'],
): readonly Transaction[] {
  const count = Math.floor(claimsPerBlock + stream.float())
  return Array.from({ length: count }, () => {
    const sender = stream.pick(traders)
    return { kind: 'claimFaucet', sender, recipient: sender }
  })
}

export function claimOutputs(
  state: ChainState,
  stream: RandomStream,
  { afterBlocks, probabilityPerBlock, partialShare }: WorldFixture['claims'],
): readonly Transaction[] {
  const claims: Transaction[] = []
  for (const { swapId, recipient, height, amountRemaining } of state.pendingOutputs.values()) {
    if (height + afterBlocks > state.height) break
    if (stream.float() >= probabilityPerBlock) continue
    const half = stream.float() < partialShare ? amountRemaining / 2n : 0n
    claims.push({ kind: 'claim', sender: recipient, swapId, ...(half > 0n && { amount: half }) })
  }
  return claims
}

/** Launches a token and its pool when due. The pool's other token is a hub, so that no launch shortens an existing route. */
function launch(options: {
  state: ChainState
  outside: Outside
  people: People
  fixture: WorldFixture
  hubs: readonly TokenDraft[]
  /** Receives the launched token; governance lists it later. */
  unlisted: string[]
  stream: RandomStream
}): readonly Transaction[] {
  const { state, outside, people, fixture, stream } = options
  const { paused, allowlistEnabled, poolCreation } = state.configuration
  // A new token is not on the allowlist, and a paused exchange takes no liquidity.
  if (paused || allowlistEnabled || poolCreation === 'gated') return []
  if (!isDue(state.height + 1, fixture.launches)) return []
  const token = draftRandomToken(stream, fixture.tokens)
  quoteToken(outside, token.id, drawPriceUsd(fixture.market, stream))
  options.unlisted.push(token.id)
  const opening = openPool({
    sender: people.launcher,
    people,
    outside,
    pair: [stream.pick(options.hubs), token],
    tier: pickByWeight(fixture.feeTiers, stream),
    sizeUsd: logNormal(stream, fixture.poolSizeUsd),
    halfWidthTicks: fixture.poolHalfWidthTicks,
  })
  return [
    { kind: 'registerToken', sender: people.launcher, token },
    ...fundOpenings(people, [opening]),
    ...opening.transactions,
  ]
}

function isDue(height: number, { fromBlock, everyBlocks, poolsMax }: WorldFixture['launches']): boolean {
  const since = height - fromBlock
  return since >= 0 && since % everyBlocks === 0 && since / everyBlocks < poolsMax
}

/** Agent state across blocks: plain data, so that a snapshot can copy it. */
export type AgentsState = {
  market: Market
  arbitrage: ArbitrageMemory
  governance: GovernanceMemory
}
