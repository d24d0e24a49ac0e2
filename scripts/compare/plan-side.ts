import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { FaultPlan } from '../../simulator/faults/fault-plan.ts'
import type { HeldLoadPlan } from '../load/plan-held-load.ts'
import { type HoldOptions, planHeldLoad } from '../load/plan-held-load.ts'
import { loadFaults } from '../load-faults.ts'
import { hostsConfirmed, mustBeHosts } from '../smoke/permission.ts'
import { readProfile } from '../target-files.ts'

export type PlannedSide = {
  /** As the user wrote it: `stub`, `stub:PLAN` or the file of a target profile. */
  label: string
  plan: HeldLoadPlan
  /** Of a stub; null: none. */
  faults: FaultPlan | null
  /** Before each run: throws a BreakwaterError (environment) where a target has gone since. */
  mustAnswer(): Promise<void>
}

const STUB = 'stub'

/**
 * What one side of `compare --run` is. Throws a BreakwaterError: usage for an unknown fault plan, a bad profile or a target
 * that does not allow the load, environment for one that does not answer.
 */
export async function planSide(label: string, options: HoldOptions): Promise<PlannedSide> {
  const [kind, plan] = split(label)
  if (kind !== STUB) {
    const { profile } = await readProfile(label, options.io)
    // The other side may be at hosts of its own.
    const confirm = hostsConfirmed(options.confirm ?? [], profile)
    const planned = () => planHeldLoad({ ...options, target: label, confirm })
    return {
      label,
      plan: await planned(),
      faults: null,
      mustAnswer: async () => void (await planned()),
    }
  }
  if (plan === '') {
    throw new BreakwaterError(`${label}: names no fault plan`, {
      hint: 'Such as stub:base-20ms, or stub:./plan.json; without faults it is stub alone.',
    })
  }
  // The hosts that are to be confirmed are those of the other side.
  const { confirm: _confirm, ...ofStub } = options
  return {
    label,
    plan: await planHeldLoad(ofStub),
    faults: plan === undefined ? null : await loadFaults(plan, options.io.cwd),
    mustAnswer: async () => {},
  }
}

/** Throws a BreakwaterError (usage) if a confirmed host is one of neither side. */
export async function mustConfirmSides(
  labels: readonly string[],
  { confirm = [], io }: Pick<HoldOptions, 'confirm' | 'io'>,
): Promise<void> {
  if (confirm.length === 0) return
  const files = labels.filter((label) => split(label)[0] !== STUB)
  if (files.length === 0) {
    throw new BreakwaterError('--confirm names a host of a target, and both sides are the stub')
  }
  const read = await Promise.all(files.map((file) => readProfile(file, io)))
  mustBeHosts(
    confirm,
    read.map(({ profile }) => profile),
  )
}

function split(label: string): [string, string | undefined] {
  const colon = label.indexOf(':')
  return colon === -1 ? [label, undefined] : [label.slice(0, colon), label.slice(colon + 1)]
}
