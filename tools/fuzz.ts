/**
 * `npm run fuzz`: fuzzes every command that reads untrusted input, for at most a minute. `-- --long`: 10,000 cases, with another
 * seed each day. `--cases N` sets the number; `--seed N --case N` repeats one case and keeps its folder; `--kind GLOB` selects
 * kinds. tools/fuzz/README.md lists the checks.
 */
import { mkdtempSync, rmdirSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { matchesGlob } from '../contract/match-glob.ts'
import { shellLine } from '../scripts/terminal-text.ts'
import { caseKinds } from './fuzz/case-kinds.ts'
import { makeExamples } from './fuzz/examples.ts'
import { drawCase } from './fuzz/fuzz-case.ts'
import { type CaseResult, openCommands, runFuzzCase } from './fuzz/run-fuzz-case.ts'
import { toolArguments } from './tool-arguments.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Started cases finish, so the total is about a minute if one of them starts k6. */
const SHORT_MS = 38_000
const LONG_CASES = 10_000
/** One fault shows in many cases: the number of each sort to print and keep. */
const SHOWN_OF_A_SORT = 3

const { values } = toolArguments('fuzz', {
  options: {
    long: { type: 'boolean', default: false },
    cases: { type: 'string', isNumber: true },
    seed: { type: 'string', isNumber: true },
    case: { type: 'string', isNumber: true },
    kind: { type: 'string', default: '*' },
  },
})
const seed = parseNumber('seed') ?? (values.long ? Math.floor(Date.now() / DAY_MS) : 1)
const only = parseNumber('case')
const casesMax =
  only === undefined ? (parseNumber('cases') ?? (values.long ? LONG_CASES : Number.POSITIVE_INFINITY)) : 1
const endMs = casesMax === Number.POSITIVE_INFINITY ? performance.now() + SHORT_MS : Number.POSITIVE_INFINITY

const kinds = caseKinds(await makeExamples())
const folder = mkdtempSync(join(tmpdir(), 'breakwater-fuzz-'))
const sorts = new Map<string, number>()
const finished = new Map<string, { ms: number; ends: string[] }>()
let next = only ?? 0
let begun = 0
let failed = 0

console.log(`seed ${seed}`)
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, runOneAfterAnother))
for (const [kind, { ms, ends }] of [...finished].sort(([, a], [, b]) => b.ends.length - a.ends.length))
  console.log(
    `${String(ends.length).padStart(6)}  ${(ms / ends.length / 1000).toFixed(2)} s  ${kind}: ${endsText(ends)}`,
  )
for (const [sort, count] of sorts) console.log(`FAILED ${count} times: ${sort}`)
console.log(`${begun - failed} passed, ${failed} failed`)
if (failed === 0 && only === undefined) rmdirSync(folder)
process.exitCode = failed === 0 ? 0 : 1

async function runOneAfterAnother(): Promise<void> {
  const commands = openCommands()
  while (begun < casesMax && performance.now() < endMs) {
    const number = next++
    const fuzzCase = drawCase(kinds, { seed, number })
    if (!matchesGlob(values.kind, fuzzCase.kind)) continue
    begun++
    const startMs = performance.now()
    const root = join(folder, String(number))
    const outcome = await runFuzzCase(fuzzCase, { root, commands, keep: only !== undefined })
    const { ms, ends } = finished.get(fuzzCase.kind) ?? { ms: 0, ends: [] }
    finished.set(fuzzCase.kind, { ms: ms + performance.now() - startMs, ends: [...ends, outcome.end] })
    if (outcome.violations.length > 0) report({ ...outcome, number, root, kind: fuzzCase.kind })
    else if (only !== undefined) console.log(`${shellLine(outcome.argv)}\n  in ${root}/cwd`)
  }
  commands.close()
}

function report({
  violations,
  argv,
  number,
  root,
  kind,
}: CaseResult & { number: number; root: string; kind: string }): void {
  failed++
  const isNew = violations.filter(({ check }) => {
    const sort = `${kind}: ${check}`
    sorts.set(sort, (sorts.get(sort) ?? 0) + 1)
    return (sorts.get(sort) ?? 0) <= SHOWN_OF_A_SORT
  })
  if (isNew.length === 0) return
  console.log(`FAILED  case ${number}, ${kind}: ${shellLine(['breakwater', ...argv])}`)
  for (const { check, saw } of violations) console.log(`  ${check}: ${saw}`)
  console.log(`  in ${root}; again: npm run fuzz -- --seed ${seed} --case ${number}`)
}

/** Counts cases by exit code: many exits with 2 mean that input fails the first check. */
function endsText(ends: readonly string[]): string {
  const kinds = [...new Set(ends)].sort()
  return kinds.map((kind) => `${ends.filter((end) => end === kind).length} with ${kind}`).join(', ')
}

function parseNumber(name: 'cases' | 'seed' | 'case'): number | undefined {
  const text = values[name]
  return text === undefined ? undefined : Number(text)
}
