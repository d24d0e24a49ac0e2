import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Mix } from '../../contract/mix.ts'
import type { Profile } from '../../contract/profile.ts'
import { type Target, WORLD_NAMES, type WorldName } from '../../contract/scenario-config.ts'
import { visibleLine } from '../../reports/visible.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { lendOwnTokens } from '../target/own-tokens.ts'
import type { Plan } from './plan.ts'

export type Worlds = {
  byName: Record<WorldName, Target>
  profile: Profile
  ca: string | null
  close(): Promise<void>
}

/** Where scenarios move the clock, it has no other pace. */
const WORLD_OPTIONS: Record<WorldName, Pick<StubOptions, 'pace'> & Partial<Pick<StubOptions, 'rateLimit'>>> =
  {
    main: { pace: 'real' },
    reads: { pace: 'manual' },
    feed: { pace: 'manual' },
    restart: { pace: 'manual' },
    clock: { pace: 'manual' },
    revision: { pace: 'manual' },
    limits: { pace: 'manual', rateLimit: { burst: 40, perSecond: 20, per: 'credential' } },
  }

/**
 * Starts a stub for each world; a user's target serves as all of them. Throws a BreakwaterError (interrupted) at
 * Ctrl-C.
 */
export async function openWorlds(
  plan: Pick<Plan, 'world' | 'seed' | 'choices' | 'mutant' | 'target'> & { mix?: Mix | null },
  io: Io,
): Promise<Worlds> {
  if (plan.target) return openTarget(plan.target, plan.mix ?? null, io)
  const stubs: Stub[] = []
  const close = async () => {
    await Promise.all(stubs.map((stub) => stub.close()))
  }
  const byName: Partial<Record<WorldName, Target>> = {}
  try {
    for (const name of WORLD_NAMES) {
      throwIfInterrupted(io.interrupted)
      const { world, seed, choices, mutant } = plan
      const stub = await startStub({
        world,
        seed,
        choices,
        mutant: mutant?.name ?? null,
        isFirstOfMany: stubs.length === 0,
        ...WORLD_OPTIONS[name],
      })
      stubs.push(stub)
      byName[name] = toTarget(stub)
    }
  } catch (error) {
    await close()
    throw error
  }
  const main = stubs[0]
  if (!main) throw new Error('no world was started')
  return { byName: byName as Record<WorldName, Target>, profile: main.profile, ca: null, close }
}

/** Next to probes one token is enough; without any, the clients that need one are left out. */
async function openTarget(given: Target, mix: Mix | null, io: Io): Promise<Worlds> {
  try {
    const { target, revoke } = await lendOwnTokens({ target: given, mix }, { io, most: 1 })
    return { ...oneTarget(target), close: revoke }
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    io.log(error.message)
    return oneTarget(given)
  }
}

export function worldText({
  world,
  seed,
  choices,
  target,
}: Pick<Plan, 'world' | 'seed' | 'choices' | 'target'>): string {
  if (target !== null) return visibleLine(`target ${target.profile.name}: ${target.profile.baseUrl}`)
  return `stub of world ${world}, seed ${seed}, choices ${choices}`
}

export function toTarget(stub: Stub): Target {
  return {
    profile: stub.profile,
    wallets: [...stub.wallets],
    apiTokens: [...stub.apiTokens],
    controlToken: stub.controlToken,
  }
}

/** A target that serves as every world, and is not closed here. */
export function oneTarget(target: Target): Worlds {
  const byName = Object.fromEntries(WORLD_NAMES.map((name) => [name, target])) as Record<WorldName, Target>
  return { byName, profile: target.profile, ca: target.profile.ca, close: async () => {} }
}
