/** `breakwater repro`: plays a case, a bug from the field, again at will, and tells who did what, and when. */

import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'
import { caseNames, caseText, loadCase } from '../repro/load-case.ts'
import { openCaseWorlds, planRepro, type ReproOptions } from '../repro/plan-repro.ts'
import { playCase } from '../repro/play-case.ts'
import { saveCase } from '../repro/save-case.ts'
import { withScenarioConfig } from '../runs/scenario-config.ts'
import { withRun } from '../runs/with-run.ts'

/**
 * Plays a case to a verdict. Throws a BreakwaterError: usage for a bad option or case, environment where k6 or the target
 * is not to be had.
 */
export function runRepro(options: ReproOptions): Promise<ExitCode> {
  return withRun(
    { io: options.io, plan: () => planRepro(options), openWorlds: openCaseWorlds },
    async ({ plan, k6, worlds, io, openFolder }) => {
      const { name, title, story } = plan.played
      const folder = await openFolder({ repro: { name, title, story } })
      if (!plan.json) io.stdout(`${title} (${name})`)
      const run = await withScenarioConfig(
        { worlds: worlds.byName, plan, env: io.env, ca: worlds.ca },
        (env) => playCase({ plan, k6, env, folder, io }),
      )
      await folder.finish(run)
      return folder
    },
  )
}

/** `breakwater repro list`: the cases there are. */
export async function runReproList({ io, json }: { io: Io; json?: true }): Promise<ExitCode> {
  const cases = await Promise.all(caseNames().map((name) => loadCase(name, io.cwd)))
  if (json) io.document(JSON.stringify(cases, null, 2))
  const width = Math.max(...cases.map(({ name }) => name.length))
  if (!json) for (const { name, title } of cases) io.stdout(`${name.padEnd(width)}  ${title}`)
  return EXIT.ok
}

/** `breakwater repro show`: a case's story, what it judges, and how it is played. */
export async function runReproShow(options: { io: Io; case: string; json?: true }): Promise<ExitCode> {
  const { io, json } = options
  const shown = await loadCase(options.case, io.cwd)
  if (json) io.document(JSON.stringify(shown, null, 2))
  else for (const line of caseText(shown)) io.stdout(line)
  return EXIT.ok
}

const COMMANDS = ['list', 'show', 'run']

/** What is asked for without list, show or run. */
export async function runReproSave(options: {
  io: Io
  /** A command that is none. */
  word: string | undefined
  name: string | true | undefined
  run: string | undefined
  json?: true
}): Promise<ExitCode> {
  const { io, word, name, run, json } = options
  if (word !== undefined) {
    throw new BreakwaterError(`repro: no command ${JSON.stringify(word)}`, {
      hint: `There are ${COMMANDS.join(', ')}; a case is played with \`breakwater repro run ${word}\`.`,
    })
  }
  if (name === undefined) {
    throw new BreakwaterError(
      run === undefined ? 'repro: name a command: list, show or run' : '--run DIR goes with --save',
      { hint: 'Try `breakwater repro --help`.' },
    )
  }
  return saveCase({ io, name, json: json === true, ...(run === undefined ? {} : { run }) })
}
