/** `breakwater faults`: what goes wrong at a stub that runs already. */
import type { z } from 'zod'
import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { clearedSchema, inForceSchema } from '../../simulator/control/fault-resources.ts'
import { type ControlOptions, openControlApi } from '../control-api.ts'
import { loadFaults } from '../given-files.ts'
import type { Io } from '../io.ts'

type Options = ControlOptions & { io: Io; json?: true }

/** Puts a plan in force, in place of the one before. Throws a BreakwaterError with every problem of the plan: then nothing has changed. */
export async function runFaultsApply({
  plan,
  io,
  json,
  ...stub
}: Options & { plan: string }): Promise<ExitCode> {
  const faults = await loadFaults(plan, io.cwd)
  const api = await openControlApi(stub, io)
  const inForce = await api.call({
    method: 'POST',
    path: '/faults',
    body: faults,
    subject: plan,
    output: inForceSchema,
  })
  if (json) io.document(JSON.stringify(inForce, null, 2))
  else io.stdout(textOf(inForce))
  return EXIT.ok
}

/** `breakwater faults list`: the plan in force, and what each fault has done so far. */
export async function runFaultsList({ io, json, ...stub }: Options): Promise<ExitCode> {
  const api = await openControlApi(stub, io)
  const inForce = await api.call({ method: 'GET', path: '/faults', output: inForceSchema })
  if (json) io.document(JSON.stringify(inForce, null, 2))
  else io.stdout(textOf(inForce))
  return EXIT.ok
}

/** `breakwater faults clear`: nothing goes wrong any more. */
export async function runFaultsClear({ io, json, ...stub }: Options): Promise<ExitCode> {
  const api = await openControlApi(stub, io)
  const answer = await api.call({ method: 'POST', path: '/faults/clear', output: clearedSchema })
  if (json) io.document(JSON.stringify(answer, null, 2))
  else io.stdout(answer.cleared === 0 ? NONE : `${counted(answer.cleared)} cleared`)
  return EXIT.ok
}

const NONE = 'no fault is in force'

function textOf({ description, faults }: z.output<typeof inForceSchema>): string {
  if (description === null) return NONE
  const width = Math.max(...faults.map(({ fault }) => fault.length))
  const lines = faults.map(
    ({ place, fault, decisions, acted }) =>
      `${String(place).padStart(4)}  ${fault.padEnd(width)}  acted on ${acted} of ${decisions}`,
  )
  return [`${counted(faults.length)} in force: ${description}`, ...lines].join('\n')
}

function counted(faults: number): string {
  return `${faults} ${faults === 1 ? 'fault' : 'faults'}`
}
