import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { z } from 'zod'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { readJsonFile, readRegularFile } from '../../contract/json-file.ts'
import { activeFaultsSchema, clearedSchema } from '../../simulator/control/fault-resources.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { type ControlOptions, openControlApi } from '../control-api.ts'
import { loadFaults } from '../given-files.ts'
import type { Io } from '../io.ts'
import { openOutputFile } from '../output-file.ts'

type Options = ControlOptions & { io: Io; json?: true }

/** Throws a BreakwaterError that lists every problem of an invalid plan, and then changes nothing. */
export async function runFaultsApply({
  plan,
  io,
  json,
  ...stub
}: Options & { plan: string }): Promise<ExitCode> {
  const faults = await loadFaults(plan, io.cwd)
  const api = await openControlApi(stub, io)
  const active = await api.call({
    method: 'POST',
    path: '/faults',
    body: faults,
    subject: plan,
    output: activeFaultsSchema,
  })
  if (json) io.document(JSON.stringify(active, null, 2))
  else io.stdout(planText(active))
  return EXIT.ok
}

export async function runFaultsList({ io, json, ...stub }: Options): Promise<ExitCode> {
  const api = await openControlApi(stub, io)
  const active = await api.call({ method: 'GET', path: '/faults', output: activeFaultsSchema })
  if (json) io.document(JSON.stringify(active, null, 2))
  else io.stdout(planText(active))
  return EXIT.ok
}

/** Prints the decisions of the active plan so far, as a plan that repeats them, or writes it to a file. */
export async function runFaultsExport({
  output,
  io,
  json,
  ...stub
}: Options & { output?: string }): Promise<ExitCode> {
  if (output !== undefined) await requireReplaceable(resolve(io.cwd, output), output)
  const api = await openControlApi(stub, io)
  const schedule = await api.call({ method: 'GET', path: '/faults/schedule', output: faultPlanSchema })
  const text = JSON.stringify(schedule, null, 2)
  if (output !== undefined) {
    const file = resolve(io.cwd, output)
    const opened = await openOutputFile({ file, shown: output, interrupted: io.interrupted })
    opened.write(`${text}\n`)
    opened.finish()
  }
  if (output === undefined || json) {
    io.document(text)
    return EXIT.ok
  }
  const triggers = schedule.faults.reduce((sum, { when: { on = [] } }) => sum + on.length, 0)
  io.stdout(`${output}: ${counted(schedule.faults.length)}, triggered ${triggers} times`)
  return EXIT.ok
}

/** Throws a BreakwaterError (usage) if a file exists that is not a fault plan. Pipes and devices are written, not replaced. */
async function requireReplaceable(file: string, shown: string): Promise<void> {
  const stats = await stat(file).catch(() => null)
  if (!stats?.isFile() || stats.size === 0) return
  const parts = { file, shown, schema: faultPlanSchema, what: 'fault plan', read: readRegularFile }
  if ((await readJsonFile(parts).catch(() => null)) !== null) return
  throw new BreakwaterError(`${shown}: exists and is not a fault plan`, {
    hint: 'Name another file, because this one would be overwritten. Expected a new file, or a fault plan.',
  })
}

export async function runFaultsClear({ io, json, ...stub }: Options): Promise<ExitCode> {
  const api = await openControlApi(stub, io)
  const response = await api.call({ method: 'POST', path: '/faults/clear', output: clearedSchema })
  if (json) io.document(JSON.stringify(response, null, 2))
  else io.stdout(response.cleared === 0 ? NONE : `${counted(response.cleared)} cleared`)
  return EXIT.ok
}

const NONE = 'no fault is active'

function planText({ description, faults }: z.output<typeof activeFaultsSchema>): string {
  if (description === null) return NONE
  const width = Math.max(...faults.map(({ fault }) => fault.length))
  const lines = faults.map(
    ({ place, fault, decisions, triggered }) =>
      `${String(place).padStart(4)}  ${fault.padEnd(width)}  triggered ${triggered} of ${decisions} times`,
  )
  return [`${counted(faults.length)} active: ${description}`, ...lines].join('\n')
}

function counted(faults: number): string {
  return `${faults} ${faults === 1 ? 'fault' : 'faults'}`
}
