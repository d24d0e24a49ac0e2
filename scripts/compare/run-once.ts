import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { renderRun } from '../../reports/render-run.ts'
import { type HeldLoad, holdLoad } from '../capacity/hold-load.ts'
import type { LoadUnderWay, TrialProgress } from '../capacity/progress.ts'
import { trialText } from '../capacity/trial-text.ts'
import type { Io } from '../io.ts'
import type { Generator } from '../load/find-generator.ts'
import { openLoadWorld } from '../load/open-load-world.ts'
import type { PlannedSide } from './plan-side.ts'

/** One run of a comparison; `problem` says why it failed, in words that follow "left out", and is empty where it did not. */
export type Turn = Omit<HeldLoad, 'folder'> & { problem: string }

/** A stub is started anew for each run, so that none is older than the other. What goes wrong with one run ends no other. */
export async function runOnce(options: {
  side: PlannedSide
  out: string
  generator: Generator
  io: Io
  /** Told of the load that is under way. */
  onLoad: (load: LoadUnderWay) => void
}): Promise<Turn> {
  const { side, out, generator, io, onLoad } = options
  // Of a run that went well its figures say enough; what it tells meanwhile is of trials and objectives.
  const said: string[] = []
  const say = (line: string) => void said.push(`${line}\n`)
  const muted: Io = { ...io, stderr: (text) => void said.push(text), tell: say }
  const progress: TrialProgress = {
    doing: ({ load }) => load && onLoad(load),
    trial: (result, why) => say(trialText(result, why)),
    note: say,
    stop: async () => {},
  }
  try {
    await side.mustAnswer()
    const worlds = await openLoadWorld({ ...side.plan, faults: side.faults }, { ...io, tell: say })
    try {
      const named = { ...worlds, profile: { ...worlds.profile, name: nameOf(side, worlds.profile.name) } }
      const { folder, ended, result } = await holdLoad(
        { ...side.plan, out },
        { generator, worlds: named, io: muted, progress },
      )
      await renderRun({ dir: folder.dir })
      return { ended, result, problem: ended === 'failed' ? `:\n${said.join('').trimEnd()}` : '' }
    } finally {
      await worlds.close()
    }
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    const ended = error.exitCode === EXIT.interrupted ? 'interrupted' : 'failed'
    return { ended, result: null, problem: `: ${error.message}` }
  }
}

/** A stub with faults is another target than one without. */
function nameOf({ label, faults }: PlannedSide, name: string): string {
  return faults === null ? name : label
}
