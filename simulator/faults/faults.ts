/**
 * The faults of a stub. At most one plan is active; applying another replaces it. The list of a hook that no fault uses
 * is null, so that requests pay only for one comparison.
 */
import type { ActivityJournal } from '../activity-journal.ts'
import type { Clock, Timer } from '../clock.ts'
import { createRandom } from '../random.ts'
import type { Replica } from '../world/replica.ts'
import type { FaultTools, FaultyWorld } from './fault-kind.ts'
import { FAULT_KINDS, type Fault, type FaultPlan, requireKnownRoutes } from './fault-plan.ts'
import type { FaultyFeed, HookName, Hooks } from './hooks.ts'
import { createDecider, type Decider } from './when-and-where.ts'

export type Faults = {
  /** Replaces the active plan as a whole. Throws FaultPlanMisfit and changes nothing if the plan does not fit. */
  apply(plan: FaultPlan): void
  /** Ends every fault, undoes its effects, and returns the number of faults. */
  clear(): number
  list(): readonly ActiveFault[]
  plan(): FaultPlan | null
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
    const { afterMs, forMs } = fault.when
    let isOn = afterMs === 0
    const timers = new Set<Timer>()
    const endings: (() => void)[] = []
    let on = ''
    const decider = createDecider({
      when: fault.when,
      isOn: () => isOn,
      stream,
      decided: ({ number, triggered }) =>
        record({ kind: 'fault', fault: fault.fault, place, decision: number, triggered, on }),
    })
    const tools: FaultTools = {
      stream,
      clock,
      world,
      follow,
      feed,
      decides(what) {
        on = what
        return decider.decide()
      },
      during({ begin, end }) {
        const beginNow = () => {
          begin()
          if (end) endings.push(end)
          if (end && forMs !== undefined) {
            tools.after(forMs, () => {
              endings.splice(endings.indexOf(end), 1)
              end()
            })
          }
        }
        if (afterMs === 0) beginNow()
        else tools.after(afterMs, beginNow)
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
    if (afterMs > 0) tools.after(afterMs, () => (isOn = true))
    if (forMs !== undefined) tools.after(afterMs + forMs, () => (isOn = false))
    const { fault: _name, when: _when, ...rest } = fault
    const own = kind.start(rest as never, tools) // as: parsed by the schema of the kind
    return {
      place,
      fault,
      decider,
      hooks: own,
      stop() {
        for (const timer of timers) timer.cancel()
        for (const end of endings.splice(0)) end()
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
