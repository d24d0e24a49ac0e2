/**
 * The faults of a stub. At most one plan is active; applying another replaces it. The list of a hook that no fault uses
 * is null, so that requests pay only for one comparison.
 */
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { ActivityJournal } from '../activity-journal.ts'
import type { Clock, Timer } from '../clock.ts'
import { createRandom } from '../random.ts'
import type { Replica } from '../world/replica.ts'
import type { FaultTools, FaultyWorld } from './fault-kind.ts'
import { FAULT_KINDS, type Fault, type FaultPlan, requireKnownRoutes } from './fault-plan.ts'
import type { FaultyFeed, HookName, Hooks } from './hooks.ts'
import { createDecider, type Decider, ON_MAX } from './when-and-where.ts'

export type Faults = {
  /** Replaces the active plan as a whole. Throws FaultPlanMisfit and changes nothing if the plan does not fit. */
  apply(plan: FaultPlan): void
  /** Ends every fault, undoes its effects, and returns the number of faults. */
  clear(): number
  list(): readonly ActiveFault[]
  plan(): FaultPlan | null
  /** The active plan with the decisions so far: a plan that repeats them. Of too many, throws a BreakwaterError; `isCut`: lists the first. */
  schedule(options?: { isCut: true }): FaultPlan | null
  /** Hooks of the active faults, in the order of the plan. */
  readonly hooks: { readonly [Name in HookName]: readonly Hooks[Name][] | null }
}

export type ActiveFault = {
  place: number
  fault: Fault
  decisions: number
  triggered: number
}

type Running = { place: number; fault: Fault; decider: Decider; hooks: Partial<Hooks>; stop(): void }

/** The hooks that are active now: servers read them, and a plan replaces them. */
export type ActiveHooks = { hooks: Faults['hooks'] }

export function createHooks(): ActiveHooks {
  return { hooks: NO_HOOKS }
}

/** Starts without a plan. `record` writes decisions and actions of faults to the journal. */
export function createFaults(options: {
  clock: Clock
  world: FaultyWorld
  /** The hooks that the servers were built with (default: new ones). */
  active?: ActiveHooks
  /** Default: no sockets. */
  feed?: FaultyFeed
  record: ActivityJournal['record']
  /** Creates a replica that lags this far behind; required by faults that read from one. */
  follow?: (lagMs: number) => Replica
  /** Routes of the exchange, to check plans against (default: unchecked). */
  routes?: readonly string[]
}): Faults {
  const { active = createHooks(), clock, world, feed = NO_FEED, follow = noReplica, record } = options
  let plan: FaultPlan | null = null
  let running: readonly Running[] = []

  const start = (fault: Fault, place: number, seed: number): Running => {
    const kind = FAULT_KINDS.find(({ name }) => name === fault.fault)
    if (!kind) throw new RangeError(`no fault named ${fault.fault}`)
    const stream = createRandom(seed).stream(`fault/${place}/${fault.fault}`)
    const { afterMs, afterBlocks, forMs } = fault.when
    let isOn = false
    let effect: Parameters<FaultTools['during']>[0] = { begin() {} }
    const timers = new Set<Timer>()
    let on = ''
    const decider = createDecider({
      when: fault.when,
      isOn: () => isOn,
      stream,
      decided: ({ number, triggered }) =>
        record({ kind: 'fault', fault: fault.fault, place, decision: number, triggered, on }),
    })
    const tools: FaultTools = {
      clock,
      world,
      follow,
      feed,
      decides(what, chance = 1) {
        on = what
        return decider.decide(chance)
      },
      draw: decider.draw,
      during(given) {
        effect = given
      },
      after(delayMs, fn) {
        const timer = clock.after(delayMs, () => {
          timers.delete(timer)
          fn()
        })
        timers.add(timer)
        return timer
      },
    }
    // Timers keep their remaining time when the clock moves back.
    const begin = () => {
      isOn = true
      if (forMs !== undefined) tools.after(forMs, end)
      effect.begin()
    }
    const end = () => {
      if (!isOn) return
      isOn = false
      effect.end?.()
    }
    const { fault: _name, when: _when, ...rest } = fault
    const own = kind.start(rest as never, tools) // as: parsed by the schema of the kind
    let stopWaiting = () => {}
    // A timer, even if it is due at once: other listeners of the block come first, and the fault may mine the next one.
    if (afterBlocks > 0) stopWaiting = onNthBlock(afterBlocks, world, () => tools.after(afterMs, begin))
    else if (afterMs > 0) tools.after(afterMs, begin)
    else begin()
    return {
      place,
      fault,
      decider,
      hooks: own,
      stop() {
        stopWaiting()
        for (const timer of timers) timer.cancel()
        end()
      },
    }
  }
  const clear = (): number => {
    const count = running.length
    for (const { stop } of running) stop()
    plan = null
    running = []
    active.hooks = NO_HOOKS
    return count
  }

  return {
    apply(next) {
      if (options.routes) requireKnownRoutes(next, options.routes)
      clear()
      plan = next
      running = next.faults.map((fault, place) => start(fault, place, next.seed))
      active.hooks = mergeHooks(running)
    },
    clear,
    list: () =>
      running.map(({ place, fault, decider }) => ({
        place,
        fault,
        decisions: decider.decisions(),
        triggered: decider.triggered(),
      })),
    plan: () => plan,
    schedule: (options) => plan && recordSchedule(plan, running, options),
    get hooks() {
      return active.hooks
    },
  }
}

const HOOK_NAMES = [
  'request',
  'response',
  'lifetime',
  'permission',
  'upgrade',
  'event',
  'delivery',
  'ticket',
  'control',
] as const satisfies readonly HookName[]

export const NO_HOOKS: Faults['hooks'] = {
  request: null,
  response: null,
  lifetime: null,
  permission: null,
  upgrade: null,
  event: null,
  delivery: null,
  ticket: null,
  control: null,
}

/** Returns a function that cancels it. */
function onNthBlock(nth: number, world: FaultyWorld, run: () => void): () => void {
  let left = nth
  const stop = world.onBlock(() => {
    if (--left > 0) return
    stop()
    run()
  })
  return stop
}

function recordSchedule(
  { description, seed }: FaultPlan,
  running: readonly Running[],
  { isCut = false } = {},
): FaultPlan {
  const faults = running.map(({ place, fault, decider }) => {
    if (decider.triggered() > ON_MAX && !isCut)
      throw new BreakwaterError(
        `faults[${place}] was triggered ${decider.triggered()} times; a schedule lists at most ${ON_MAX}`,
        { hint: 'Apply the plan again, and export its decisions earlier.' },
      )
    const { every: _every, times: _times, probability: _probability, ...period } = fault.when
    return { ...fault, when: { ...period, on: [...decider.triggers()] } }
  })
  return { description, seed, faults }
}

function noReplica(): never {
  throw new RangeError('no world to create replicas of: pass `follow` to createFaults')
}

const NO_FEED: FaultyFeed = {
  sockets: () => [],
  close() {},
  cut() {},
  mute() {},
  stall: () => () => {},
  sendControl() {},
}

function mergeHooks(running: readonly Running[]): Faults['hooks'] {
  const of = <Name extends HookName>(name: Name): readonly Hooks[Name][] | null => {
    const found = running.flatMap(({ hooks }) => {
      const hook = hooks[name]
      return hook ? [hook as Hooks[Name]] : [] // as: the hook with that name
    })
    return found.length === 0 ? null : found
  }
  return Object.fromEntries(HOOK_NAMES.map((name) => [name, of(name)])) as Faults['hooks'] // as: all names
}
