import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { projectPath } from '../../scripts/project.ts'
import { makeReader } from './reader.ts'
import { runPage } from './run-page.ts'

const PAGE_LIMIT_MS = 3 * 60 * 60 * 1000

/** Runs all commands of every page that has a long one, and reports each line. `chosen` filters pages by path. For `npm run nightly`. */
export async function followPagesAtLength(
  report: (name: string, problem: string | undefined) => void,
  chosen = '',
): Promise<void> {
  const reader = await makeReader()
  try {
    for (const page of docPages().filter(({ path }) => path.includes(chosen))) {
      const commands = docCommands(page).filter(({ when }) => when !== 'elsewhere')
      if (!commands.some(({ when }) => when === 'long')) continue
      const lines = commands.map(({ line }) => line)
      const ran = await runPage({ ...page, lines }, { reader, limitMs: PAGE_LIMIT_MS })
      let passed = true
      for (const [index, { line, exitCodes }] of commands.entries()) {
        const { exitCode } = ran.lines[index] ?? { exitCode: null }
        const isRight = exitCode !== null && exitCodes.includes(exitCode)
        passed &&= isRight
        const problem = `exit code ${exitCode}, not ${exitCodes.join(' or ')}`
        report(`${page.path}: ${line}`, isRight ? undefined : problem)
      }
      if (!passed) console.log(ran.output.slice(-10_000))
    }
  } finally {
    await reader.close()
  }
}

/** A command line of a page: continued lines joined, no comment, single spaces. */
type DocCommand = {
  line: string
  /** `run`: tested by `npm test` for some pages; `long`: only by `npm run nightly`; `elsewhere`: not by page tests. */
  when: 'run' | 'long' | 'elsewhere'
  exitCodes: readonly number[]
}

/**
 * The commands of a page's `sh` blocks, in order. Marks on the fence say how each is tested: no mark means `run`, one mark
 * applies to the block, several to a line each. A mark may name exit codes other than 0: `run=1`, `long=0|4`.
 */
export function docCommands({ path, text }: DocPage): DocCommand[] {
  return [...text.matchAll(/^```sh\b(.*)\n([\s\S]*?)^```$/gm)].flatMap(([fence, info = '', block = '']) => {
    const lines = splitLines(block)
    const marks = info.trim() === '' ? ['run'] : info.trim().split(' ')
    const [first = ''] = marks
    if (marks.length > 1 && marks.length !== lines.length)
      throw new Error(`${path}: ${fence.split('\n')[0]}: ${marks.length} marks for ${lines.length} commands`)
    return lines.map((line, index) => ({ line, ...parseMark(marks[index] ?? first, path) }))
  })
}

function parseMark(mark: string, path: string): Omit<DocCommand, 'line'> {
  const [, when, codes = '0'] = /^(run|long|elsewhere)(?:=(\d+(?:\|\d+)*))?$/.exec(mark) ?? []
  if (when === undefined)
    throw new Error(
      `${path}: ${mark}: not a mark; expected run, long or elsewhere, such as run=1 or long=0|4`,
    )
  return { when: when as DocCommand['when'], exitCodes: codes.split('|').map(Number) } // as: one of the three
}

function splitLines(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => withoutComment(line).replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
}

function withoutComment(line: string): string {
  let quote = ''
  for (const [at, character] of line.split('').entries()) {
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === "'" || character === '"') quote = character
    else if (character === '#' && (at === 0 || /\s/.test(line[at - 1] ?? ''))) return line.slice(0, at)
  }
  return line
}

type DocPage = {
  /** From the project's root: `docs/reference/objectives.md`. */
  path: string
  text: string
}

/** The pages of the project's root, of `docs/` with its folders, and of `examples/`. */
export function docPages(): DocPage[] {
  return [...pagesIn('.', false), ...pagesIn('docs', true), ...pagesIn('examples', false)]
}

function pagesIn(folder: string, recursive: boolean): DocPage[] {
  const root = projectPath(folder)
  // A packed checkout has no examples.
  const names = existsSync(root) ? readdirSync(root, { recursive, encoding: 'utf8' }) : []
  return names
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .sort()
    .map((name) => {
      const path = folder === '.' ? name : `${folder}/${name}`
      return { path, text: readFileSync(projectPath(path), 'utf8') }
    })
}
