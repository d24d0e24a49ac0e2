import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import type { KubeObject } from '../k8s/api/kube-object.ts'

const PROFILE = {
  name: 'staging',
  baseUrl: 'http://exchange.example',
  wsUrl: 'ws://exchange.example',
  allow: { load: true },
}
const ARGV =
  'k8s render --target staging.json --confirm exchange.example --rate 100 --image registry.example/b:1'

const TOLD = `TestRun breakwater: 100 iterations a second for 30 s by 2 runners
  the Secret holds wallets and tokens: keep it from others
`

test('prints all that a load takes, as YAML, and as JSON', async () => {
  const yaml = await render('')
  expect(yaml).toMatchObject({ exitCode: 0, stderr: TOLD })
  const objects = objectsOf(yaml.stdout)
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

test('the same command line prints the same but for the token', async () => {
  const [one = [], two = []] = [await render(''), await render('')].map(({ stdout }) => objectsOf(stdout))
  const tokens = [one, two].map(([secret]) => tokenOf(secret))
  expect(tokens[0]).not.toBe(tokens[1])
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(one.slice(1)).toEqual(two.slice(1))
})

test('options find their way', async () => {
  const { stdout, stderr } = await render(
    '--name evening --namespace load --parallelism 5 --cpu 0.5 --memory 300Mi --results claim=shared --script image --quiet',
  )
  expect(stderr).toBe('')
  const objects = objectsOf(stdout)
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
  ['--results here=10.0.0.5', '--results here: this command ends before there is anything to keep'],
  ['--mix nowhere.json', 'nowhere.json: cannot be read: there is no such file or folder'],
  ['--parallelism 0', "option '--parallelism <number>' argument '0' is invalid."],
])('%s is refused', async (more, says) => {
  const { exitCode, stdout, stderr } = await render(more)
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(says)
})

async function render(more: string) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'staging.json'), JSON.stringify(PROFILE))
  return runCommandLine(`${ARGV} ${more}`.trim().split(' '), { cwd, env: {} })
}

function tokenOf(secret: KubeObject | undefined): string {
  const { token = '' } = (secret?.data ?? {}) as { token?: string } // as: of the Secret
  return Buffer.from(token, 'base64').toString()
}

function objectsOf(yaml: string): KubeObject[] {
  return parseAllDocuments(yaml, { version: '1.1' }).map((document) => document.toJS())
}
