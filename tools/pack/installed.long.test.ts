import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectPath, VERSION } from '../../scripts/project.ts'
import { installPackage } from './packed-files.ts'

let folder: string
let command: string
/** The user's working directory: a separate project with its own tsconfig.json. */
let cwd: string

beforeAll(() => {
  execFileSync(process.execPath, [projectPath('scripts/build-types.mjs')])
  folder = mkdtempSync(join(tmpdir(), 'breakwater-pack-'))
  command = installPackage(folder)
  cwd = join(folder, 'project')
  mkdirSync(cwd)
  writeFileSync(
    join(cwd, 'tsconfig.json'),
    '{ "compilerOptions": { "target": "es5", "paths": { "zod": ["./zod.ts"] } } }',
  )
  writeFileSync(join(cwd, 'zod.ts'), 'export const none = 1\n')
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function breakwater(...argv: string[]) {
  return spawnSync(process.execPath, [command, ...argv], { cwd, encoding: 'utf8' })
}

test('an installed package prints its version', () => {
  expect(breakwater('--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' })
})

test('smoke outside the repository writes the run to the working directory, and nothing to the package', () => {
  const before = listed(join(folder, 'node_modules/breakwater'))
  const { status, stdout } = breakwater('smoke', '--rules', 'wire.*', '--no-load', '--output', 'run')
  expect(stdout).toContain('pass: 14 of 14 rules judged and passed')
  expect(status).toBe(0)
  expect(readdirSync(join(cwd, 'run'))).toContain('report.html')
  expect(listed(join(folder, 'node_modules/breakwater'))).toEqual(before)
})

test('renders the run again', () => {
  rmSync(join(cwd, 'run/report.html'))
  expect(breakwater('report', 'run')).toMatchObject({ status: 0, stderr: '' })
  expect(readFileSync(join(cwd, 'run/report.html'), 'utf8')).toContain('</html>')
})

test('runs a load, with the stub in a separate process', () => {
  const { stdout } = breakwater('load', '--rate=20', '--duration=2s', '--warm-up=0s', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ job: 'load', generator: { complete: true, failedRequests: 0 } })
})

test('runs a custom scenario, which imports the kit by the package name', () => {
  expect(breakwater('init', 'scenario', 'mine').status).toBe(0)
  const script = readFileSync(join(cwd, 'mine.k6.ts'), 'utf8')
  const short = script.replace("duration: '5s'", "duration: '1s'")
  writeFileSync(join(cwd, 'mine.k6.ts'), short.replace('./breakwater/scenarios/kit.ts', 'breakwater/kit'))
  const { status, stdout, stderr } = breakwater('run', 'mine.k6.ts')
  expect(stdout).toContain('pass: 1 of 1 rules judged and passed')
  expect(stderr).toContain('running mine.k6.ts')
  expect(status).toBe(0)
})

test('runs the example test suite against the library', () => {
  cpSync(projectPath('examples/test-suite'), join(cwd, 'test-suite'), { recursive: true })
  const { status, stdout } = spawnSync(process.execPath, ['--test'], {
    cwd: join(cwd, 'test-suite'),
    encoding: 'utf8',
  })
  expect(stdout).toContain('# pass 4\n# fail 0\n')
  expect(status).toBe(0)
})

test('has types for everything that users import', () => {
  for (const name of ['typescript', '@typescript', '@types'])
    symlinkSync(projectPath(`node_modules/${name}`), join(folder, 'node_modules', name))
  const project = join(cwd, 'typed')
  mkdirSync(project)
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
    lib: ['es2022', 'esnext.disposable'],
    noEmit: true,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const check = (text: string) => {
    writeFileSync(join(project, 'suite.ts'), text)
    return spawnSync(process.execPath, [projectPath('node_modules/typescript/bin/tsc'), '-p', project], {
      encoding: 'utf8',
    }).stdout
  }
  expect(check(TYPED)).toBe('')
  expect(check(TYPED.replace('seed', 'sead'))).toMatch(/suite.ts.*'sead' does not exist/)
})

const TYPED = `
import { createClient } from 'breakwater/client'
import { type Judge, target } from 'breakwater/kit'
import { readReport } from 'breakwater/report'
import { startStub } from 'breakwater/stub'

export async function suite(): Promise<number> {
  await using stub = await startStub({ seed: 1, faults: 'bad-day' })
  const client = createClient({ profile: stub.profile, as: { apiToken: stub.apiTokens[0] ?? '' } })
  const rows: unknown[] = await client.exchange.list('/pools')
  const [finding] = await stub.findings()
  const rule: string | undefined = finding?.rule
  const report = await readReport('run')
  return rule === undefined ? report.exitCode + rows.length : report.rules.length
}
export const judge = (verdict: Judge): void => verdict.that('own.rule', target.profile.baseUrl !== '', 'seen', [])
`

test('npm pack includes a list of its components', () => {
  const args = ['pack', '--silent', '--pack-destination', folder]
  const archive = execFileSync('npm', args, { cwd: projectPath('.'), encoding: 'utf8' }).trim()
  const read = (path: string) =>
    JSON.parse(execFileSync('tar', ['-xOzf', join(folder, archive), `package/${path}`], { encoding: 'utf8' }))
  const { bomFormat, components } = read('sbom.cdx.json')
  expect(bomFormat).toBe('CycloneDX')
  const listed = components.map(
    ({ name, version }: { name: string; version: string }) => `${name}@${version}`,
  )
  const direct = Object.entries(read('package.json').dependencies).map(
    ([name, version]) => `${name}@${version}`,
  )
  expect(direct.length).toBeGreaterThan(10)
  expect(direct.filter((one) => !listed.includes(one))).toEqual([])
  expect(components.filter(({ hashes }: { hashes?: unknown[] }) => !hashes?.length)).toEqual([])
})

test('serves the stub until it gets SIGTERM', async () => {
  const args = [command, 'stub', '--port=0', '--feed-port=0', '--control-port=0', '--profile=stub.json']
  const up = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => up.once('exit', resolve))
  for await (const line of createInterface({ input: up.stdout })) {
    const [, baseUrl] = /^REST +(\S+)/.exec(line) ?? []
    if (baseUrl === undefined) continue
    expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
    break
  }
  up.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(existsSync(join(cwd, 'stub.json'))).toBe(true)
})

/** Each file below a folder, with properties that reveal a change. */
function listed(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => {
    const { size, mtimeMs } = statSync(join(root, path))
    return `${path} ${size} ${mtimeMs}`
  })
}
