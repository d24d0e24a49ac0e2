/** `npm run house`: the size of the code base, as a table. Counts git's files; finds imports by reading the sources as text. */
import { dirname } from 'node:path'
import { MUTANTS } from '../simulator/mutants/mutants.ts'
import { listImports, mutualFolders, reachedFrom, sourceFiles } from './repo-checks/source-files.ts'
import { toolArguments } from './tool-arguments.ts'

toolArguments('house', { options: {} })
const ENDINGS = ['.ts', '.mjs', '.js', '.go']
const SHORT_LINES = 20
/** Entry points of `smoke`, besides the simulator. */
const SMOKE = ['scripts/commands/smoke.ts', 'scenarios/smoke.k6.ts']

const files = sourceFiles(ENDINGS).map((file) => ({ ...file, lines: file.text.split('\n').length - 1 }))
const isTest = (path: string) => /(\.test\.ts|\.cluster\.ts|_test\.go)$|\/test-[^/]+\.ts$/.test(path)
const sources = files.filter(({ path }) => !isTest(path) && !path.startsWith('fixtures/'))
const tests = files.filter(({ path }) => isTest(path))
const imports = listImports(sources)
const always = imports.filter(({ isOnDemand }) => !isOnDemand)

const importers = new Map<string, Set<string>>()
for (const { from, to } of always) importers.set(to, (importers.get(to) ?? new Set()).add(from))
const withOneNeighbor = sources.filter(({ path }) => {
  const [only, ...others] = importers.get(path) ?? []
  return only !== undefined && others.length === 0 && dirname(only) === dirname(path)
})
const smoke = [...reachedFrom(SMOKE, always)].filter((path) => !path.startsWith('simulator/'))
const mutants = MUTANTS.map(({ name }) => `'${name}'`)
const namingMutants = sources.filter(
  ({ path, text }) => !path.startsWith('simulator/mutants/') && mutants.some((name) => text.includes(name)),
)

console.log(
  [
    ['source files', sources.length],
    ['source lines', sum(sources)],
    [`files under ${SHORT_LINES} lines`, sources.filter(({ lines }) => lines < SHORT_LINES).length],
    ['files with exactly one importer, in the same folder', withOneNeighbor.length],
    ['pairs of folders that import each other', mutualFolders(imports).length],
    ['source files outside simulator/mutants that name a mutant', namingMutants.length],
    ['files that smoke passes through outside the simulator', smoke.length],
    ['test lines', sum(tests)],
  ]
    .map(([what, count]) => `${String(count).padStart(7)}  ${what}`)
    .join('\n'),
)

function sum(counted: readonly { lines: number }[]): number {
  return counted.reduce((total, { lines }) => total + lines, 0)
}
