import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MIX_REQUESTS, mixSchema } from '../../contract/mix.ts'
import { MIX_CYCLES } from '../../contract/mix-cycles.ts'
import { getObjectiveKind, sloSchema } from '../../contract/slo.ts'
import { GENERATOR_SIGNALS, TARGET_SIGNALS, THRESHOLDS } from '../../reports/capacity/saturation-signals.ts'
import { loadSlo, mixNames, namesIn } from '../../scripts/given-files.ts'
import { projectPath } from '../../scripts/project.ts'
import { HISTORY_LIMITS } from '../../simulator/indexer/history/history-log.ts'
import { WINDOWS } from '../../simulator/indexer/pools/pool-figures.ts'
import { INVARIANTS } from '../../simulator/invariants/invariants.ts'
import { REORG_DEPTH_MAX } from '../../simulator/undo-log.ts'
import { BLOCKS_KEPT } from '../../simulator/world/chain-node.ts'
import { ENVIRONMENT } from '../generate/pages/cli-page.ts'
import { type SourceFile, sourceFiles } from './source-files.ts'

const bottlenecks = readFileSync(projectPath('docs/concepts/bottlenecks.md'), 'utf8')
const percent = (share: number) => `${share * 100} %`

/** The first cells of each row of a section's table. */
function listSignals(heading: string): string[] {
  const section = bottlenecks.split('\n## ').find((text) => text.startsWith(heading)) ?? ''
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name)
}

test('docs/concepts/bottlenecks.md lists the signals of the code', () => {
  expect(listSignals('The generator')).toEqual(Object.keys(GENERATOR_SIGNALS))
  expect(listSignals('The target')).toEqual(Object.keys(TARGET_SIGNALS))
})

test.each([
  ['`vus`', []],
  ['`cpu`', [percent(THRESHOLDS.cpuShare)]],
  ['`run-queue`', [percent(THRESHOLDS.cpuShare)]],
  ['`throttled`', [percent(THRESHOLDS.throttledShare), percent(THRESHOLDS.throttledMuch)]],
  ['`lag`', [`${THRESHOLDS.lagMs} ms`]],
  ['`shared-machine`', [percent(THRESHOLDS.machineBusy)]],
  ['`files`', [percent(THRESHOLDS.shareOfTable)]],
  ['`ports`', [percent(THRESHOLDS.shareOfTable)]],
  ['`event-loop`', [`${THRESHOLDS.targetLagMs} ms`]],
])('docs/concepts/bottlenecks.md describes %s', (signal, texts) => {
  const row = bottlenecks.split('\n').find((line) => line.startsWith(`| ${signal} |`))
  for (const text of texts) expect(row).toContain(text)
})

test.each(Object.entries(GENERATOR_SIGNALS))(
  'docs/concepts/bottlenecks.md has the explanation of %s',
  (signal, { explains }) => {
    const rows = bottlenecks.split('\n').filter((line) => line.startsWith('| `'))
    const at = rows.findIndex((line) => line.startsWith(`| \`${signal}\` |`))
    const row = rows.slice(0, at + 1).findLast((line) => !line.endsWith('| the same |'))
    expect(row).toMatch(new RegExp(`\\| ${explains.join(', ')} \\|$`))
  },
)

test('docs/concepts/bottlenecks.md has the thresholds of the target that have no row', () => {
  expect(THRESHOLDS).toMatchObject({ queueSeconds: 0.1, targetCores: 0.9, turnsOfRequest: 4 })
  expect(bottlenecks).toContain('a tenth of a second of work')
  expect(bottlenecks).toContain('keeps 0.9 of a core busy')
  expect(bottlenecks).toContain('four times the lag')
})

const chain = readFileSync(projectPath('docs/reference/chain.md'), 'utf8')
const { swaps, trades, tradesPerPool, faucetRecords, candlesPerPool } = HISTORY_LIMITS

test.each([
  ['invariants', Object.keys(INVARIANTS).map((name) => `| \`${name}\` |`)],
  [
    'history kept',
    [swaps, trades, tradesPerPool, faucetRecords].map((count) => `newest ${count.toLocaleString('en')} of`),
  ],
  [
    'candles kept',
    [
      Object.entries(candlesPerPool)
        .map(([interval, count]) => `${interval} ${count}`)
        .join(', '),
    ],
  ],
  [
    'windows',
    Object.entries(WINDOWS).map(([name, { interval, candles }]) => `${name}.*\\b${candles} of ${interval}`),
  ],
  ['blocks that introspection shows', [`the newest ${BLOCKS_KEPT} blocks`]],
  ['depth of a reorg', [`| ${REORG_DEPTH_MAX} blocks; `]],
])('docs/reference/chain.md matches the code: %s', (_, texts) => {
  expect(texts.filter((text) => !chain.includes(text) && !new RegExp(text).test(chain))).toEqual([])
})

const customScenarios = readFileSync(projectPath('docs/guides/custom-scenarios.md'), 'utf8')
const kit = readFileSync(projectPath('scenarios/kit.ts'), 'utf8')

test('the page of custom scenarios describes all exports of the kit', () => {
  const exported = [
    ...kit.matchAll(/^export \{([^}]*)\} from|^export const (?:\{ (\w+) \}|(\w+))/gm),
  ].flatMap(([, list, inner, name]) => [inner ?? name ?? list ?? ''].flatMap((text) => text.split(',')))
  const names = exported
    .map((text) => text.trim())
    .filter((text) => text !== '' && !text.startsWith('type '))
    .map((text) => text.split(' as ').at(-1) ?? '')
  expect(names.length).toBeGreaterThan(25)
  expect(names.filter((name) => !customScenarios.includes(`\`${name}\``))).toEqual([])
})

const mixes = readFileSync(projectPath('docs/reference/mixes.md'), 'utf8')

test.each(Object.entries(MIX_REQUESTS))(
  'the page of mixes describes the requests of %s',
  (name, { access, does }) => {
    expect(mixes).toContain(`| \`${name}\` | ${access} | ${does} |`)
  },
)

test.each(Object.entries(MIX_CYCLES))('the page of mixes describes the steps of %s', (name, { does }) => {
  expect(mixes).toContain(`| \`${name}\` | ${does} |`)
})

test.each(mixNames())('the page of mixes describes %s', (name) => {
  expect(mixes).toContain(`| \`${name}\` | `)
})

test('the example of the page is a mix', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(mixes) ?? []
  expect(mixSchema.safeParse(JSON.parse(example)).error).toBeUndefined()
})

const objectivesPage = readFileSync(projectPath('docs/reference/objectives.md'), 'utf8')
const [, objectivesExample = '{}'] = /```json\n([\s\S]*?)```/.exec(objectivesPage) ?? []
const { objectives } = sloSchema.parse(JSON.parse(objectivesExample))
const objectiveRows = [...objectivesPage.matchAll(/^\| `([a-z-]+)` \| (`[^|]+`) \| /gm)].map(
  ([, kind, fields = '']) => ({
    kind,
    fields: fields.split(', ').map((field) => field.replaceAll('`', '')),
  }),
)

test('the page of objectives has a row for each kind, with its fields, and an example', () => {
  const shown = objectives.map((objective) => {
    const { windowSeconds: _, ...fields } = objective
    return { kind: getObjectiveKind(objective), fields: Object.keys(fields) }
  })
  expect(objectiveRows).toHaveLength(7)
  expect(shown).toEqual(expect.arrayContaining(objectiveRows))
})

test.each(namesIn('fixtures/slos'))(
  'the page of objectives describes %s, which is a valid file',
  async (name) => {
    expect(objectivesPage).toContain(`| \`${name}\` | `)
    expect(await loadSlo(name, '.')).toMatchObject({ name })
  },
)

// Benchmarks pass parameters to their own scripts in the environment.
const readers = sourceFiles(['.ts', '.mjs', '.js', '.go', '.py']).filter(
  ({ path }) => !path.startsWith('tools/bench/') && !path.startsWith('tools/repo-checks/pages'),
)
const variables = Object.values(ENVIRONMENT).flatMap((group) => Object.keys(group))

function isListed(name: string): boolean {
  return variables.some(
    (entry) => entry === name || (entry.endsWith('*') && name.startsWith(entry.slice(0, -1))),
  )
}

/** The names that a file reads or sets: our own anywhere, others that are read from the environment outside of tests. */
function variablesIn({ path, text }: SourceFile): string[] {
  const own = text.match(/\b(?:BREAKWATER|K6_SERIES)_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []
  if (/\.(test|cluster)\.ts$|_test\.go$/.test(path)) return own
  const read = [...text.matchAll(/\benv(?:iron)?(?:\.|\[["'])([A-Z][A-Z0-9_]+)(?!\w|\s*=[^=])/g)]
  const taken = [...text.matchAll(/\{([^{}]*)\}(?:: NodeJS\.ProcessEnv| = (?:process\.)?env)\b/g)].flatMap(
    ([, names = '']) => names.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [],
  )
  return [...own, ...read.map(([, name = '']) => name), ...taken]
}

test('the page of environment variables has every variable that the code reads', () => {
  const missing = readers.flatMap((file) =>
    variablesIn(file)
      .filter((name) => !isListed(name))
      .map((name) => `${file.path}: ${name}`),
  )
  expect([...new Set(missing)]).toEqual([])
})

test('the page of environment variables has no variable that the code does not know', () => {
  const code = readers
    .filter(({ path }) => !path.startsWith('tools/generate/environment'))
    .map(({ text }) => text)
  expect(variables.filter((name) => !code.some((text) => text.includes(name.replace('*', ''))))).toEqual([])
})
