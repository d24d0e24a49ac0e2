import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import type { Profile, Wallet } from '../../contract/profile.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import type { FaultPlan } from '../../simulator/faults/fault-plan.ts'
import { startStub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'
import type { Io } from '../io.ts'
import { projectPath } from '../project.ts'
import type { Plan } from '../runs/plan.ts'
import { oneTarget, type Worlds } from '../runs/worlds.ts'
import { lendOwnTokens } from '../target/own-tokens.ts'

const CLOSE_MS = 5000

/**
 * The user's target, with API tokens that its mix needs and that were not given; or a real-time stub in its own
 * process, without observer.
 */
export async function openLoadWorld(
  plan: Pick<Plan, 'world' | 'seed' | 'choices' | 'mutant' | 'target' | 'mix'> & {
    faults?: FaultPlan | null
  },
  io: Io,
): Promise<Worlds> {
  if (plan.target) {
    const { target, revoke } = await lendOwnTokens({ target: plan.target, mix: plan.mix ?? null }, { io })
    return { ...oneTarget(target), close: revoke }
  }
  const { world, seed, choices, mutant, faults } = plan
  const options: StubOptions = {
    world,
    seed,
    choices,
    mutant: mutant?.name ?? null,
    observer: false,
    rateLimit: NO_RATE_LIMIT,
    pace: 'real',
    ...(faults && { faults }),
  }
  const child = fork(projectPath('dist/stub-process.js'), {
    // Ctrl-C on a terminal reaches the whole process group: the stub must outlive it until the run ends.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    const { wallets, apiTokens, ...ready } = await waitUntilReady(child, options)
    const target = { ...ready, wallets: [...wallets], apiTokens: [...apiTokens] }
    return { ...oneTarget(target), close: () => close(child) }
  } catch (error) {
    await close(child)
    throw error
  }
}

async function waitUntilReady(child: ChildProcess, options: StubOptions) {
  child.send(options)
  const ended = once(child, 'exit').then(([code]) => {
    throw new BreakwaterError(`the stub could not be started: its process exited with ${code}`, {
      hint: '`breakwater doctor` checks the memory and the limits of this machine.',
      exitCode: EXIT.environment,
    })
  })
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [StubReply] // as: what that script sends
  ended.catch(() => {}) // it exits on request later
  if ('ready' in answer) return answer.ready
  const { message, hint } = answer.failed
  throw new BreakwaterError(message, {
    ...(hint !== undefined && { hint }),
    exitCode: EXIT.environment,
  })
}

async function close(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS)
  if (child.connected) child.disconnect()
  await exited
  clearTimeout(timer)
}

/** Runs the stub in its own process, so that generating and judging a load take no time from it. */

export type StubReady = {
  profile: Profile
  wallets: readonly Wallet[]
  apiTokens: readonly string[]
  controlToken: string
}
export type StubReply =
  | { ready: StubReady }
  | { failed: { message: string; hint?: string; exitCode: number } }

/** Starts on a message with its options; ends with the parent process. */
process.once('message', (options: StubOptions) => void serve(options))
process.once('disconnect', () => process.exit())

async function serve(options: StubOptions): Promise<void> {
  process.send?.(await startAndReply(options))
}

async function startAndReply(options: StubOptions): Promise<StubReply> {
  try {
    const { profile, wallets, apiTokens, controlToken } = await startStub(options)
    return { ready: { profile, wallets, apiTokens, controlToken } }
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    const { message, hint, exitCode } = error
    return { failed: { message, exitCode, ...(hint !== undefined && { hint }) } }
  }
}
