/** `breakwater load`: one rate, held for a while, and judged by the objectives. */
import type { ExitCode } from '../../contract/breakwater-error.ts'
import { holdLoad } from '../capacity/hold-load.ts'
import { generatorWarnings } from '../capacity/preflight.ts'
import { type BaselineOptions, tellBaseline } from '../compare/tell-baseline.ts'
import { orInterrupted, throwIfInterrupted } from '../interrupted.ts'
import { announceLoad } from '../load/announce-load.ts'
import { findGenerator } from '../load/find-generator.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import { type HoldOptions, planHeldLoad } from '../load/plan-held-load.ts'
import { tooShort } from '../load/too-short.ts'
import { mustBeFolder } from '../past-runs/find-baseline.ts'
import { step } from '../progress/step.ts'
import { worldText } from '../smoke/worlds.ts'
import { tellReport } from '../tell-report.ts'

/** Throws a BreakwaterError: usage for a bad option or file, environment where k6 or the target is not to be had. */
export async function runLoad(options: HoldOptions & BaselineOptions): Promise<ExitCode> {
  const { io } = options
  const plan = await orInterrupted(io.interrupted, planHeldLoad(options))
  await mustBeFolder(options.baseline, io)
  const generator = await findGenerator(io)
  const { rate, seconds } = plan.heldLoad
  const lines = announceLoad(plan, `${rate} iterations a second for ${seconds} s`)
  const warnings = [...tooShort({ ...plan, rate, seconds }), ...generatorWarnings(plan)]
  for (const line of [...lines, ...warnings.map((warning) => `  ${warning}`)]) io.tell(line)
  const worlds = await step(io, worldText(plan), () => openLoadWorld(plan, io))
  try {
    throwIfInterrupted(io.interrupted)
    const { folder } = await holdLoad(plan, { generator, worlds, io })
    const exitCode = await tellReport({ folder, json: plan.json, io })
    const { baseline, single } = options
    return await tellBaseline({ baseline, single, folder, exitCode, json: plan.json, io })
  } finally {
    await worlds.close()
  }
}
