/**
 * The agents that make the market: they found the world, trade, provide liquidity, claim, launch and govern. Floats steer what they want;
 * what they send to the chain is exact. They read the chain's state and never change it.
 */
import type { ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { Random } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import type { AgentsState } from './agents-state.ts'
import { arbitrage, rememberMoved } from './arbitrageur.ts'
import { claimOutputs } from './claimer.ts'
import { visitFaucet } from './faucet-visitor.ts'
import { type FoundingTokens, foundWorld } from './founder.ts'
import { govern } from './governor.ts'
import { launch } from './launcher.ts'
import { moveMarket } from './market.ts'
import { createPeople, type People } from './people.ts'
import { provideLiquidity } from './provider.ts'
import { trade } from './trader.ts'

export type Agents = {
  /** How many of the first blocks found the world: without what they hold nothing else makes sense. */
  foundingBlocks: number
  people: People
  tokens: FoundingTokens
  /** Changed in place; what it holds may be put back from a copy. */
  state: AgentsState
  /** What the agents send for the block after the state's, which comes `elapsedMs` later. */
  act(state: ChainState, elapsedMs: number): readonly Transaction[]
}

/** Agents of a world that has not begun: `accounts` are people of the world from outside, whom some agents act for. */
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
        // Ahead of the traders, who move the prices that it was worked out from.
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
