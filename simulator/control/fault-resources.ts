import { z } from 'zod'
import { faultPlanSchema } from '../faults/fault-plan.ts'
import type { Faults } from '../faults/faults.ts'
import { FaultPlanMisfit } from '../faults/unknown-routes.ts'
import { ControlRefusal } from './control-errors.ts'
import { type Resource, resource } from './resource.ts'

const NOTHING = z.strictObject({})

export const clearedSchema = z.strictObject({ cleared: z.int().describe('How many there were') })

export const inForceSchema = z.strictObject({
  description: z.string().nullable().describe('Of the plan in force; null where there is none'),
  faults: z
    .array(
      z.strictObject({
        place: z.int().describe('In the plan, from 0'),
        fault: z.string(),
        decisions: z.int().describe('Cases that it has decided on'),
        acted: z.int().describe('Of these'),
      }),
    )
    .describe('Those in force'),
})

/** Injected faults. */
export const FAULT_RESOURCES: readonly Resource[] = [
  resource({
    method: 'POST',
    path: '/faults',
    summary:
      'Puts a fault plan in force, in place of the one before: as a whole, or, where anything in it is wrong, not at all.',
    input: faultPlanSchema,
    output: inForceSchema,
    errors: ['faults_misfit'],
    answer({ faults }, plan) {
      try {
        faults.apply(plan)
      } catch (error) {
        if (error instanceof FaultPlanMisfit)
          throw new ControlRefusal('faults_misfit', error.problems.join('; '))
        throw error
      }
      return inForce(faults)
    },
  }),
  resource({
    method: 'GET',
    path: '/faults',
    summary: 'The faults in force.',
    input: NOTHING,
    output: inForceSchema,
    answer: ({ faults }) => inForce(faults),
  }),
  resource({
    method: 'POST',
    path: '/faults/clear',
    summary:
      'Ends all faults, and undoes what they hold; answers that are held back already still come late.',
    input: NOTHING,
    output: clearedSchema,
    answer: ({ faults }) => ({ cleared: faults.clear() }),
  }),
]

function inForce(faults: Pick<Faults, 'list' | 'plan'>): z.input<typeof inForceSchema> {
  return {
    description: faults.plan()?.description ?? null,
    faults: faults
      .list()
      .map(({ place, fault, decisions, acted }) => ({ place, fault: fault.fault, decisions, acted })),
  }
}
