/**
 * `npm run lint:words`: checks the words of pages, comments, help, errors and reports against tools/lint/terms.json.
 * words-left.json lists how many problems a file may still have; `--update` lowers these numbers.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { projectPath } from '../scripts/project.ts'
import { findWords, PROSE_ENDINGS, type WordProblem } from './lint/find-words.ts'
import { sourceFiles } from './repo-checks/source-files.ts'
import { toolArguments } from './tool-arguments.ts'

const LISTED = projectPath('tools/lint/words-left.json')
const allowed: Record<string, number> = JSON.parse(readFileSync(LISTED, 'utf8'))
const { values, positionals } = toolArguments('lint:words', {
  options: { update: { type: 'boolean' } },
  words: null,
})
const [only] = positionals

const files = sourceFiles(PROSE_ENDINGS).filter(({ path }) => path.startsWith(only ?? ''))
const found = new Map<string, WordProblem[]>()
for (const file of files) {
  const problems = await findWords(file)
  if (problems.length > 0) found.set(file.path, problems)
}

if (values.update) {
  const left = [...found].map(
    ([path, { length }]) => [path, Math.min(length, allowed[path] ?? length)] as const,
  )
  const sorted = left.toSorted(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(LISTED, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}

const shown = [...found].filter(([path, { length }]) => only !== undefined || length > (allowed[path] ?? 0))
for (const { path, line, message } of shown.flatMap(([, problems]) => problems))
  console.log(`${path}:${line}: ${message}`)
const total = [...found.values()].reduce((sum, { length }) => sum + length, 0)
console.log(
  `${total} words to replace in ${found.size} of ${files.length} files; ${shown.length} files listed above`,
)
if (only === undefined && shown.length > 0) process.exitCode = 1
