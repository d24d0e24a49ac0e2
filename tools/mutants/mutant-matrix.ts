import type { ChoiceSetName } from '../../contract/choice-set-name.ts'
import { RULES } from '../../contract/rules.ts'
import type { Mutant } from '../../simulator/mutants/mutants.ts'
import { sideBySide } from '../side-by-side.ts'
import type { Accusation } from './run-mutant.ts'

/** One run of the whole catalogue against one mutant. */
export type MatrixRun = { choices: ChoiceSetName; mutant: Mutant }
export type MatrixCell = MatrixRun & Pick<Accusation, 'accused' | 'missed' | 'wrongly' | 'problem'>

/** Runs the matrix, some runs side by side, and tells of each as it ends. A run that breaks off is a problem of its own. */
export async function runMatrix(options: {
  runs: readonly MatrixRun[]
  jobs: number
  accuse: (run: MatrixRun) => Promise<Pick<Accusation, 'accused' | 'missed' | 'wrongly' | 'problem'>>
  onCell: (cell: MatrixCell) => void
}): Promise<MatrixCell[]> {
  const cells: MatrixCell[] = []
  await sideBySide(options.runs, options.jobs, async (run) => {
    const told = await options.accuse(run).catch((error: unknown) => ({
      accused: [],
      missed: [...run.mutant.rules],
      wrongly: [],
      problem: error instanceof Error ? error.message : String(error),
    }))
    const cell = { ...run, ...told }
    cells.push(cell)
    options.onCell(cell)
  })
  return cells
}

/** For each rule that these runs concern: the mutants that it detected, those that it missed, those that it accused wrongly. */
export function matrixTable(cells: readonly MatrixCell[]): string[] {
  const ids = RULES.map(({ id }) => id)
  const width = Math.max(...ids.map((id) => id.length))
  const marks = (cell: MatrixCell, id: string) => {
    const name = `${cell.mutant.name} (${cell.choices})`
    if (cell.wrongly.includes(id)) return [`WRONG ${name}`]
    if (cell.missed.includes(id)) return [`MISSED ${name}`]
    return cell.accused.includes(id) ? [cell.mutant.name] : []
  }
  return ids.flatMap((id) => {
    const marked = [...new Set(cells.flatMap((cell) => marks(cell, id)))]
    return marked.length > 0 ? [`${id.padEnd(width)}  ${marked.join(', ')}`] : []
  })
}

/** The runs that went wrong, then the figures. */
export function matrixSummary(cells: readonly MatrixCell[]): string {
  const count = (list: (cell: MatrixCell) => readonly unknown[]) =>
    cells.reduce((sum, cell) => sum + list(cell).length, 0)
  const declared = count(({ mutant }) => mutant.rules)
  const detected = declared - count(({ missed }) => missed)
  const percent = declared === 0 ? 0 : Math.floor((detected / declared) * 1000) / 10
  const failed = cells.filter(({ problem }) => problem !== undefined)
  return [
    ...failed.map(({ mutant, choices, problem }) => `FAILED  ${mutant.name}, ${choices}: ${problem}`),
    `${cells.length} runs, ${failed.length} failed: detected ${detected} of ${declared} (${percent} %), wrong accusations ${count(({ wrongly }) => wrongly)}`,
  ].join('\n')
}
