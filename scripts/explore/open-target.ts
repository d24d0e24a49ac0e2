/** Opens what `explore` works on: stubs of this process, or the target of a profile. */
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { NODE_TOOLS, signMessage } from '../../client/node-ports.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { ChoiceSetName, Target } from '../../contract/scenario-config.ts'
import { createWaits, type ExploreTarget, type WaitFor } from '../../explore/target.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import type { MutantName } from '../../simulator/mutants/mutants.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import type { Io } from '../io.ts'
import { signFor } from '../target/own-tokens.ts'
import { PERMISSION_HINT, permissionFor } from '../target/permission.ts'
import { loadTarget } from '../target/reach-target.ts'
import { createWire } from './node-target.ts'
import type { OpenTarget } from './stages.ts'

/** Time for something to happen in the market of a target. */
const STIR_MS = 1000
/** For a slow network and a busy gateway. */
const RESPONSE_MS = 15_000
/** One wallet is the witness of events. */
const WALLETS_MIN = 2

/** Throws a BreakwaterError: usage for a bad profile or a target that does not allow changes, environment if it does not respond. */
export async function openGivenTarget(
  file: string,
  { io, confirm, isSlowAllowed }: { io: Io; confirm: readonly string[] | undefined; isSlowAllowed: boolean },
): Promise<OpenTarget> {
  const loaded = await loadTarget(file, {
    io,
    needsFeed: true,
    check(profile) {
      const { writes } = permissionFor(profile, confirm)
      if (writes !== null)
        throw new BreakwaterError(`explore signs in and makes changes: ${writes}`, { hint: PERMISSION_HINT })
    },
  })
  const { profile } = loaded
  const [witness, ...wallets] = findWallets(loaded)
  if (!witness || wallets.length + 1 < WALLETS_MIN) {
    throw new BreakwaterError(`${file}: explore needs two wallets with access that can sign`, {
      hint: 'Add wallets to the file that credentials.wallets names, with a private key or a signer.',
    })
  }
  const ca = profile.ca === null ? null : await readFile(profile.ca, 'utf8')
  const waits = createWaits(() => performance.now())
  const wait = (reason: WaitFor, ms: number) =>
    waits.during(
      reason,
      delay(ms, undefined, { signal: io.interrupted }).catch(() => {}),
    )
  const wire = createWire(profile, ca, (ms) => waits.during('the rate limit', delay(ms)))
  const target: ExploreTarget = {
    ...wire,
    profile,
    administrator: findSigning(loaded).find(({ admin }) => admin),
    outsiders: findOutsiders(loaded),
    sign: (wallet, message) => signFor(profile, wallet, message),
    nowMs: Date.now,
    isClockLocal: true,
    pass: (ms) => wait('expiry and retries', ms),
    stir: () => wait('swaps', STIR_MS),
    isSlowAllowed,
    responseMs: RESPONSE_MS,
    waits,
    interrupted: io.interrupted,
  }
  return { target, wallets, witness, sent: wire.sent, close: async () => wire.close() }
}

type Given = Pick<Target, 'profile' | 'wallets'>

/** Not administrators, which a real exchange has few of. */
function findWallets(given: Given): Target['wallets'] {
  return findSigning(given).filter(({ hasAccess, admin }) => hasAccess && !admin)
}

function findOutsiders(given: Given): Target['wallets'] {
  return findSigning(given).filter(({ hasAccess }) => !hasAccess)
}

function findSigning({ profile, wallets }: Given): Target['wallets'] {
  return wallets.filter(
    ({ privateKeyJwk }) => privateKeyJwk !== undefined || profile.credentials.signer !== null,
  )
}

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
const STUB_RESPONSE_MS = 4000
/** Longer waits are jumps of a clock without blocks: mining thousands of them takes time and shows nothing. */
const JUMP_MS = 5000

/** A stub in this process: its clock jumps, and blocks are mined when something should happen. */
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
    responseMs: STUB_RESPONSE_MS,
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
