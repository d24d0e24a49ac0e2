/** Stubs of this process to explore: their clock jumps, and blocks are mined when something should happen. */
import { NODE_TOOLS, signMessage } from '../../client/node-ports.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import type { ExploreTarget } from '../../explore/target.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import type { MutantName } from '../../simulator/mutants/mutants.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { createWire } from './node-target.ts'
import type { OpenTarget } from './stages.ts'

export type StubChoice = {
  world: string
  seed: number
  choices: ChoiceSetName
  mutant: MutantName | null
}

/** Frequent blocks: events of many rooms come before a ticket expires. */
const BLOCK_MS = 150
/** For 100 runs. */
const NEWCOMERS = 400
/** Nothing delays a response within a process, except other work on the machine. */
const RESPONSE_MS = 4000
/** Longer waits are jumps of a clock without blocks: mining thousands of them takes time and shows nothing. */
const JUMP_MS = 5000

export async function openStubTarget(
  choice: StubChoice,
  interrupted: AbortSignal,
): Promise<OpenTarget & { stub: Stub }> {
  const stub = await startStub({
    ...choice,
    pace: 'real',
    observer: false,
    rateLimit: NO_RATE_LIMIT,
    newcomers: NEWCOMERS,
  })
  const { profile, world } = stub
  world.setMining({ mode: 'interval', intervalMs: BLOCK_MS })
  const witness = stub.wallets.find(({ hasAccess, admin }) => hasAccess && !admin)
  const wallets = stub.wallets.slice(-NEWCOMERS)
  if (!witness) throw new RangeError('the stub has no wallet with access')
  const wire = createWire(profile, null)
  const target: ExploreTarget = {
    ...wire,
    profile,
    administrator: stub.wallets.find(({ admin }) => admin),
    outsiders: stub.wallets.filter(({ hasAccess }) => !hasAccess),
    sign: async (wallet, message) => signMessage(message, wallet, profile.choices.signature),
    nowMs: world.clock.nowMs,
    async pass(ms) {
      if (ms < JUMP_MS) {
        await NODE_TOOLS.pause(Math.min(ms, 20))
        world.advance(ms)
        return
      }
      const mining = world.mining()
      world.setMining({ mode: 'paused' })
      world.advance(ms)
      world.setMining(mining)
    },
    async stir() {
      world.mine()
    },
    isSlowAllowed: true,
    responseMs: RESPONSE_MS,
    interrupted,
  }
  return {
    stub,
    target,
    wallets,
    witness,
    sent: wire.sent,
    async close() {
      wire.close()
      await stub.close()
    },
  }
}
