import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import type { FaultPlan } from '../../simulator/faults/fault-plan.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'
import type { Io } from '../io.ts'
import { projectPath } from '../project.ts'
import type { Plan } from '../runs/plan.ts'
import { oneTarget, type Worlds } from '../runs/worlds.ts'
import { lendOwnTokens } from '../target/own-tokens.ts'
import type { StubReady, StubReply } from './stub-process.ts'

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
  const { child, ready } = await startProcess(options)
  const target = { ...ready, wallets: [...ready.wallets], apiTokens: [...ready.apiTokens] }
  return { ...oneTarget(target), close: () => close(child) }
}

async function startProcess(
  options: StubOptions,
  { again = true } = {},
): Promise<{ child: ChildProcess; ready: StubReady }> {
  const child = fork(projectPath('dist/stub-process.js'), {
    // Ctrl-C on a terminal reaches the whole process group: the stub must outlive it until the run ends.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    return { child, ready: await waitUntilReady(child, options) }
  } catch (error) {
    await close(child)
    // Ctrl-C in the moment before it left the process group.
    if (again && child.signalCode === 'SIGINT') return startProcess(options, { again: false })
    throw error
  }
}

async function waitUntilReady(child: ChildProcess, options: StubOptions): Promise<StubReady> {
  child.send(options, () => {}) // if that fails, the process has ended
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new BreakwaterError(`the stub could not be started: its process exited with ${code ?? signal}`, {
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
