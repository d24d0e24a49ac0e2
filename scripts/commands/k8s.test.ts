import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { profileSchema, walletsSchema } from '../../contract/profile.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import type { KubeObject } from '../k8s/api/kube-object.ts'
import { documentText } from '../terminal-text.ts'
import { toYaml } from './k8s.ts'

const PROFILE = {
  name: 'staging',
  baseUrl: 'http://exchange.example',
  wsUrl: 'ws://exchange.example',
  allow: { load: true },
}
const ARGV =
  'k8s render --target staging.json --confirm exchange.example --rate 100 --image registry.example/b:1'

const ANNOUNCED = `TestRun breakwater: 100 iterations per second for 30 s from 2 runners
  the Secret contains wallets and tokens: keep the output private
`

test('prints all objects of a load, as YAML and as JSON', async () => {
  const yaml = await render('')
  expect(yaml).toMatchObject({ exitCode: 0, stderr: ANNOUNCED })
  const objects = parseObjects(yaml.stdout)
  expect(objects.map(({ kind }) => kind)).toEqual([
    'Secret',
    'ConfigMap',
    'NetworkPolicy',
    'NetworkPolicy',
    'Service',
    'Pod',
    'TestRun',
  ])
  expect(objects.filter(({ metadata }) => metadata.namespace !== undefined)).toEqual([])
  const json = await render('--json')
  const list = JSON.parse(json.stdout)
  expect(list).toMatchObject({ apiVersion: 'v1', kind: 'List' })
  expect(list.items.slice(1, -1)).toEqual(objects.slice(1, -1))
})

test('the same command line prints the same objects, except for the token', async () => {
  const [one = [], two = []] = [await render(''), await render('')].map(({ stdout }) => parseObjects(stdout))
  const tokens = [one, two].map(([secret]) => decodeToken(secret))
  expect(tokens[0]).not.toBe(tokens[1])
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(one.slice(1)).toEqual(two.slice(1))
})

test('options reach the objects', async () => {
  const { stdout, stderr } = await render(
    '--name evening --namespace load --parallelism 5 --cpu 0.5 --memory 300Mi --results claim=shared --script image --quiet',
  )
  expect(stderr).toBe('')
  const objects = parseObjects(stdout)
  expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['load']))
  expect(objects.at(-1)).toMatchObject({
    metadata: { name: 'evening' },
    spec: {
      parallelism: 5,
      script: { localFile: '/opt/breakwater/dist/load.k6.js' },
      runner: { resources: { limits: { cpu: '500m', memory: '300Mi' } } },
    },
  })
})

test.each([
  ['--results here=10.0.0.5', '--results here: this command exits before there are results to store'],
  ['--mix nowhere.json', 'nowhere.json: cannot be read: there is no such file or folder'],
  ['--parallelism 0', '--parallelism: invalid value "0"'],
])('%s is rejected', async (more, says) => {
  const { exitCode, stdout, stderr } = await render(more)
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(says)
})

async function render(more: string) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'staging.json'), JSON.stringify(PROFILE))
  return runCommandLine(`${ARGV} ${more}`.trim().split(' '), { cwd, env: {} })
}

function decodeToken(secret: KubeObject | undefined): string {
  const { token = '' } = (secret?.data ?? {}) as { token?: string } // as: of the Secret
  return Buffer.from(token, 'base64').toString()
}

function parseObjects(yaml: string): KubeObject[] {
  return parseAllDocuments(yaml, { version: '1.1' }).map((document) => document.toJS())
}

const STUB = ['k8s', 'stub', '--image', 'breakwater:1']

type Printed = { kind: string; data?: Record<string, string>; spec?: Spec }
type Spec = { template: { spec: { containers: [{ command: string[] }] } } }

async function stub(argv: readonly string[], cwd = temporaryFolder(), env: NodeJS.ProcessEnv = process.env) {
  const ended = await runCommandLine([...STUB, ...argv], { cwd, env })
  const objects = parseAllDocuments(ended.stdout).map((document): Printed => document.toJS())
  return { ...ended, objects, kind: (kind: string) => objects.find((object) => object.kind === kind) }
}

const readJson = (cwd: string, file: string) => JSON.parse(readFileSync(join(cwd, file), 'utf8'))

test.each([
  { name: 'by DNS', argv: ['--namespace', 'load'], host: 'stub.load.svc' },
  { name: 'by its address', argv: ['--cluster-ip', '10.96.0.77', '--namespace', 'load'], host: '10.96.0.77' },
  { name: 'by IPv6', argv: ['--cluster-ip', 'fd00::77'], host: '[fd00::77]' },
])('the profile is of the Service, $name', async ({ argv, host }) => {
  const { cwd, exitCode, stderr } = await stub([...argv, '--profile', 'stub.json'])
  expect(exitCode).toBe(0)
  const profile = profileSchema.parse(readJson(cwd, 'stub.json'))
  expect(profile).toMatchObject({
    name: 'stub',
    baseUrl: `http://${host}:8080`,
    wsUrl: `ws://${host}:8081`,
    metrics: `http://${host}:8080/metrics`,
    control: null,
    credentials: { wallets: 'stub-wallets.json', apiTokens: { env: 'BREAKWATER_API_TOKENS' } },
    choices: { rateLimit: { perSecond: 1_000_000 } },
    allow: { load: true, mutations: true },
  })
  expect(statSync(join(cwd, 'stub-wallets.json')).mode & 0o777).toBe(0o600)
  expect(stderr).toMatch(/BREAKWATER_API_TOKENS=ss_[\w-]+,ss_[\w-]+ breakwater k8s run --target stub\.json /)
  expect(stderr.replaceAll("'", '')).toContain(` --confirm ${host} `)
})

test('its pod runs the stub that the profile describes, with the same credentials', async () => {
  const cwd = temporaryFolder()
  const world = { ...loadWorldFixture('tiny'), description: 'my own' }
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify(world))
  writeFileSync(
    join(cwd, 'late.json'),
    JSON.stringify({ description: 'late', faults: [{ fault: 'ws-delay', delayMs: 9 }] }),
  )
  const options = [
    '--world',
    join(cwd, 'mine.json'),
    '--faults',
    'late.json',
    '--seed',
    '5',
    '--choices',
    'alternative',
  ]
  const env = { ...process.env, BREAKWATER_CONTROL_TOKEN: 'a-token-of-my-own' }
  const more = ['--service-rate', '400', '--mutant', 'rate-limit-forever']
  const planned = await stub(
    [...options, ...more, '--name', 'planned', '--namespace', 'n', '--profile', 'planned.json'],
    cwd,
    env,
  )
  const { data = {} } = planned.kind('ConfigMap') ?? {}
  for (const [name, text] of Object.entries(data)) writeFileSync(join(cwd, name), text)
  const [breakwater, ...argv] = planned.kind('Deployment')?.spec?.template.spec.containers[0].command ?? []
  expect([breakwater, Object.keys(data).sort()]).toEqual(['breakwater', ['faults.json', 'world.json']])

  const abort = new AbortController()
  // For comparison with the profile and the output of the stub.
  const here = argv.map((word) => (/^808[012]$/.test(word) ? '0' : word.replace('/etc/breakwater', cwd)))
  const up = await runCommandLine([...here, '--json', '--profile', 'up.json'], {
    cwd,
    env,
    interrupted: abort.signal,
    onStdout: () => abort.abort(),
  })
  const printed = JSON.parse(up.stdout)
  expect(printed.controlToken).toBe('a-token-of-my-own')
  expect(planned.stderr).toContain(`BREAKWATER_API_TOKENS=${printed.apiTokens.join(',')} `)
  const [ofPod, ofProfile] = ['up.json', 'planned.json'].map((file) =>
    profileSchema.parse(readJson(cwd, file)),
  )
  expect(ofProfile?.choices).toEqual(ofPod?.choices)
  const wallets = walletsSchema.parse(readJson(cwd, 'planned-wallets.json'))
  expect(wallets).toHaveLength(22)
  expect(wallets).toEqual(readJson(cwd, 'up-wallets.json'))
})

test('each stub has its own control token, and the same command prints the same otherwise', async () => {
  const [first, second] = [await stub([]), await stub([])]
  expect(first.kind('Secret')?.data).not.toEqual(second.kind('Secret')?.data)
  expect(first.objects.slice(1)).toEqual(second.objects.slice(1))
  expect(first.kind('ConfigMap')).toBeUndefined()
})

test('--json prints the same objects as a List', async () => {
  const env = { ...process.env, BREAKWATER_CONTROL_TOKEN: 'a-token-of-my-own' }
  const { objects } = await stub([], undefined, env)
  const { stdout } = await runCommandLine([...STUB, '--json'], { env })
  expect(JSON.parse(stdout)).toEqual({ apiVersion: 'v1', kind: 'List', items: objects })
})

test.each([
  { argv: ['--profile', 'p.json'], says: '--profile: the address of the stub is unknown' },
  { argv: ['--profile', 'no/p.json', '--namespace', 'n'], says: 'no/p.json: the profile cannot be written' },
  { argv: ['--world', 'nowhere'], says: 'unknown world "nowhere"' },
  { argv: ['--mutant', 'nothing'], says: 'unknown mutant "nothing"' },
  { argv: ['--faults', 'nothing'], says: 'unknown fault plan "nothing"' },
  { argv: ['--faults', 'misfit.json'], says: 'misfit.json: ' },
  { argv: ['--cluster-ip', 'stub'], says: "Expected an IP address in the cluster's Service range." },
  { argv: ['--name', 'My_Stub'], says: '--name: invalid value "My_Stub"' },
])('rejects $argv', async ({ argv, says }) => {
  const cwd = temporaryFolder()
  const misfit = {
    description: 'none',
    faults: [{ fault: 'http-error', where: { routes: ['GET /none'] }, status: 503 }],
  }
  writeFileSync(join(cwd, 'misfit.json'), JSON.stringify(misfit))
  const { exitCode, stderr, stdout } = await runCommandLine([...STUB, ...argv], { cwd })
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(says)
})

test('strings with another meaning in YAML 1.1 are quoted, and there are no references', () => {
  const shared = { cpu: '1', memory: '1Gi' }
  const objects = [
    { words: ['on', 'y', 'no', '12:30', '1_000', '0x1f', '8080', '~', '-', 'a: b', '2026-11-22'] },
    { requests: shared, limits: shared },
  ]
  const text = toYaml(objects)
  expect(parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS())).toEqual(objects)
  expect(text).not.toMatch(/[&*]/)
})

test('writes objects in their order', () => {
  expect(toYaml([{ kind: 'A', spec: { list: [{ x: 1 }] } }, { kind: 'B' }])).toBe(
    'kind: A\nspec:\n  list:\n    - x: 1\n---\nkind: B\n',
  )
})

test.each([' \n', '\n \n', ' \n\n', '\t', '\ud83d'])('%j survives parsing', (text) => {
  const [document] = parseAllDocuments(toYaml([{ text }]), { version: '1.1' })
  expect(document?.toJS()).toEqual({ text })
})

test('a terminal shows escapes, never another value', () => {
  const pieces = [
    '\u001b[31m',
    '\u009b',
    '\u202e',
    '\ufeff',
    '\r',
    '\n',
    '\t',
    '::error::x',
    '##[error]',
    ' ',
    'a',
    '"',
    '\\',
    '#',
  ]
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      fc.array(fc.record({ kind: text, spec: fc.dictionary(text, text) }), { minLength: 1, maxLength: 3 }),
      (objects) => {
        const shown = documentText(toYaml(objects))
        const read = parseAllDocuments(shown, { version: '1.1' }).map((document) => document.toJS())
        expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(objects)))
      },
    ),
  )
})
