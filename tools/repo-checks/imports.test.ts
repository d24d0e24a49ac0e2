import { expect, test } from 'vitest'
import { listImports, mutualFolders, reachedFrom, sourceFiles } from './source-files.ts'

/** Imports that each folder may have from others: data flows one way. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  simulator: ['contract', 'fixtures'],
  scenarios: ['contract', 'client'],
  reports: ['contract'],
  fixtures: ['contract'],
  client: ['contract'],
  hunt: ['contract', 'client', 'simulator'],
  explore: ['contract', 'client', 'simulator', 'hunt'],
  scripts: ['contract', 'client', 'simulator', 'hunt', 'explore', 'reports', 'fixtures'],
  library: ['contract', 'client', 'simulator', 'hunt', 'reports', 'scripts'],
  examples: ['contract', 'client'],
  tools: [
    'contract',
    'simulator',
    'hunt',
    'explore',
    'reports',
    'fixtures',
    'scripts',
    'client',
    'library',
    'examples',
  ],
}

/** Tests and their helpers may also import these. */
const WORKSHOP_MAY = ['tools', 'simulator']
const WORKSHOP = /\.(test|cluster)\.ts$|\/test-[^/]+\.ts$/

/** Inside the simulator, the chain does not know the indexer, nor the indexer HTTP. Agents know their world only by its fixture. */
const SIMULATOR_MAY_IMPORT: Record<string, readonly string[]> = {
  amm: [],
  http: [],
  chain: ['amm'],
  agents: ['amm', 'chain', 'world'],
  indexer: ['amm', 'chain'],
  invariants: ['amm', 'chain', 'indexer'],
  world: ['agents', 'chain', 'indexer'],
  faults: ['chain', 'world'],
  auth: ['faults'],
  observer: [],
  trading: ['chain', 'world'],
  exchange: ['auth', 'indexer', 'faults', 'observer', 'http', 'trading', 'world'],
  gateway: ['auth', 'indexer', 'faults', 'observer', 'http'],
  mutants: ['auth', 'choices', 'exchange', 'gateway', 'http'],
  control: ['gateway', 'faults', 'observer', 'http', 'world', 'chain', 'choices'],
}

const files = sourceFiles(['.ts', '.mjs'])

test.each(Object.keys(MAY_IMPORT))('%s imports only from allowed folders', (folder) => {
  const allowed = [folder, ...(MAY_IMPORT[folder] ?? [])]
  const wrong = listImports(files.filter(({ path }) => path.startsWith(`${folder}/`))).filter(
    ({ from, to }) => {
      const [top = ''] = to.split('/')
      return (
        top in MAY_IMPORT && !allowed.includes(top) && !(WORKSHOP.test(from) && WORKSHOP_MAY.includes(top))
      )
    },
  )
  expect(wrong).toEqual([])
})

test.each(Object.keys(SIMULATOR_MAY_IMPORT))('simulator/%s imports only from earlier folders', (folder) => {
  const allowed = [folder, ...(SIMULATOR_MAY_IMPORT[folder] ?? [])]
  const sources = files.filter(({ path }) => path.startsWith(`simulator/${folder}/`) && !WORKSHOP.test(path))
  const wrong = listImports(sources).filter(({ to }) => {
    const [, inner = ''] = /^simulator\/([^/]+)\//.exec(to) ?? []
    return inner in SIMULATOR_MAY_IMPORT && !allowed.includes(inner)
  })
  expect(wrong).toEqual([])
})

test('no two folders import each other', () => {
  const sources = files.filter(({ path }) => !WORKSHOP.test(path))
  expect(mutualFolders(listImports(sources))).toEqual([])
})

test('looks at real imports', () => {
  expect(listImports(files).length).toBeGreaterThan(100)
})

test('finds mutual and indirect imports', () => {
  const imports = [
    { from: 'a/x.ts', to: 'b/y.ts' },
    { from: 'b/z.ts', to: 'a/w.ts' },
    { from: 'a/x.ts', to: 'a/inner/v.ts' },
    { from: 'a/inner/v.ts', to: 'a/x.ts' },
    { from: 'b/y.ts', to: 'c/u.ts' },
  ]
  expect(mutualFolders(imports)).toEqual(['a <> b'])
  expect([...reachedFrom(['b/y.ts'], imports)]).toEqual(['b/y.ts', 'c/u.ts'])
})
