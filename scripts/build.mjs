/**
 * Compiles the program and its scenarios into dist/: `npm run build`. npm runs it after `npm ci` and before `npm pack`
 * (`prepare`). Plain JavaScript, because nothing is compiled yet.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
const SOURCES = [
  'client',
  'contract',
  'explore',
  'histories',
  'hunt',
  'library',
  'reports',
  'scenarios',
  'scripts',
  'simulator',
]
const ENTRIES = {
  breakwater: 'scripts/main.ts',
  'stub-process': 'scripts/load/stub-process.ts',
  action: 'scripts/action/main.ts',
  'bundle-script': 'scripts/k6/bundle-script.ts',
  client: 'library/client.ts',
  hunt: 'library/hunt.ts',
  report: 'library/report.ts',
  stub: 'library/stub.ts',
}

/** k6 can read scenarios unbundled, but each VU pays for every module. Scenarios with many VUs become one file. */
const LARGE_SCENARIOS = ['smoke', 'load']

const TYPES = join(DIST, 'types')

/** Written last, so that an interrupted build does not count as built. */
const STAMP = join(DIST, 'built')

/** Does nothing in an installed package, which ships compiled. Vitest calls it before the tests. */
export default async function buildIfStale() {
  if (existsSync(join(ROOT, '.git')) && isStale()) await buildAll()
}

async function buildAll() {
  const { build } = await import('esbuild')
  const startedMs = Date.now()
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: DIST,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    tsconfigRaw: '{}',
    chunkNames: '[name]-[hash]',
    plugins: [ownUrls],
    logLevel: 'silent',
    write: false,
  })
  const written = outputFiles.map(({ path, contents }) => writeChanged(path, contents))
  const { js, types } = await compileValidators(build)
  written.push(writeChanged(join(DIST, 'validators.js'), Buffer.from(js)))
  written.push(writeChanged(join(DIST, 'validators.d.ts'), Buffer.from(types)))
  const { bundleText } = await import(pathToFileURL(join(DIST, 'bundle-script.js')).href)
  for (const name of LARGE_SCENARIOS) {
    const text = await bundleText({ script: join(ROOT, `scenarios/${name}.k6.ts`), folder: DIST })
    written.push(writeChanged(join(DIST, `${name}.k6.js`), Buffer.from(text)))
  }
  removeOthers(new Set(written))
  writeFileSync(STAMP, `${startedMs}\n`)
}

/** Run from memory: an installed package does not need the compiler. */
async function compileValidators(build) {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['scripts/k6/validators-module.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    tsconfigRaw: '{}',
    logLevel: 'silent',
    write: false,
  })
  const code = Buffer.from(outputFiles[0].contents).toString('base64')
  const { validatorsModule } = await import(`data:text/javascript;base64,${code}`)
  return validatorsModule()
}

/** Keeps `import.meta` of bundled modules pointing at their sources' folders. */
const ownUrls = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes('import.meta.')) return undefined
      const from = relative(DIST, path).split(sep).join('/')
      const url = `new URL(${JSON.stringify(from)}, import.meta.url)`
      const contents = text
        .replaceAll('import.meta.url', `${url}.href`)
        .replaceAll('import.meta.dirname', `(await import('node:url')).fileURLToPath(new URL('.', ${url}))`)
      return { contents, loader: 'ts' }
    })
  },
}

function isStale() {
  if (!existsSync(STAMP)) return true
  const builtMs = Number(readFileSync(STAMP, 'utf8'))
  return SOURCES.some((folder) => newestMs(join(ROOT, folder)) >= builtMs)
}

function newestMs(folder) {
  let newest = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) newest = Math.max(newest, newestMs(path))
    else if (/(?<!\.test|\.bench)\.ts$/.test(entry.name)) newest = Math.max(newest, statSync(path).mtimeMs)
  }
  return newest
}

/** Replaces whole files, and only changed ones, so that a command running during the build still finds its modules. */
function writeChanged(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return path
  mkdirSync(DIST, { recursive: true })
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
  return path
}

function removeOthers(kept) {
  for (const name of readdirSync(DIST)) {
    const path = join(DIST, name)
    // A file that ends in a number belongs to another build, which may be running.
    if (path !== STAMP && path !== TYPES && !kept.has(path) && !/\.\d+$/.test(name))
      rmSync(path, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll()
