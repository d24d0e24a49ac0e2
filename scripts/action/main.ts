/** Where the steps of action.yml meet the process: one word says which step it is. */
import { basename } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { findK6, k6CacheFolder } from '../k6/find-k6.ts'
import { projectPath } from '../project-path.ts'
import { runAction } from './run-action.ts'
import { runBreakwater } from './run-breakwater.ts'
import { writeOutputs } from './step-files.ts'
import { annotationLine } from './workflow-command.ts'

const { env } = process
const tell = (line: string) => process.stdout.write(`${line}\n`)
const sources = { env, k6SourceDir: projectPath('k6') }

const STEPS: Readonly<Record<string, () => Promise<number>>> = {
  /** Tells what is to be kept between jobs, and by which key; nothing where the job brings a k6 of its own. */
  async cache() {
    const folder = env.BREAKWATER_K6 ? '' : await k6CacheFolder(sources)
    writeOutputs({ folder, key: folder && `breakwater-${basename(folder)}` }, env)
    return EXIT.ok
  },
  async k6() {
    tell(`k6: ${await findK6({ ...sources, onProgress: tell })}`)
    return EXIT.ok
  },
  run: () => runAction({ env, tell, run: (argv) => runBreakwater(argv, tell) }),
}

const [name = ''] = process.argv.slice(2)
try {
  const step = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined
  if (step === undefined) throw new BreakwaterError(`name a step: ${Object.keys(STEPS).join(', ')}`)
  process.exitCode = await step()
} catch (error) {
  if (!(error instanceof BreakwaterError)) throw error
  tell(annotationLine({ kind: 'error', title: error.message, message: error.hint ?? '' }))
  process.exitCode = error.exitCode
}
