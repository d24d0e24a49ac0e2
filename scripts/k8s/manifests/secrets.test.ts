import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toYaml } from '../../commands/k8s.ts'
import { manifestParts, plannedLoad } from '../test-cluster-plan.ts'
import { buildManifests } from './build-manifests.ts'

const plan = await plannedLoad({ k6Out: ['influxdb'] })
const parts = manifestParts(plan)

const secret = fc.stringMatching(/^[A-Za-z0-9_-]{24,40}$/)
const wallet = fc.record({ address: fc.stringMatching(/^bw1[a-z0-9]{20}$/), key: secret })

const given = fc.record({
  wallets: fc.array(wallet, { minLength: 1, maxLength: 5 }),
  apiTokens: fc.array(secret, { minLength: 1, maxLength: 3 }),
  header: secret,
  token: secret,
  password: secret,
})

test('secrets appear only in the Secret', () => {
  fc.assert(
    fc.property(given, ({ wallets, apiTokens, header, token, password }) => {
      const { profile } = plan.target
      const target = {
        ...plan.target,
        profile: {
          ...profile,
          headers: { Authorization: header },
        },
        wallets: wallets.map(({ address, key }) => ({
          address,
          privateKeyJwk: { kty: 'EC' as const, crv: 'P-256' as const, x: 'x', y: 'y', d: key },
          hasAccess: true,
          admin: false,
        })),
        apiTokens,
      }
      const full = { ...plan, target }
      const objects = buildManifests(full, {
        ...parts,
        ...manifestParts(full),
        token,
        settings: { K6_INFLUXDB_PASSWORD: password },
      })
      const secrets = [...wallets.map(({ key }) => key), ...apiTokens, header, token, password]
      const others = toYaml(objects.filter(({ kind }) => kind !== 'Secret'))
      const spelt = secrets.flatMap((text) => [text, Buffer.from(text).toString('base64')])
      expect(spelt.filter((text) => others.includes(text))).toEqual([])
      const held = heldBy(objects[0]?.data as Record<string, string>) // as: of the Secret
      expect(secrets.filter((text) => !held.includes(text))).toEqual([])
    }),
    { numRuns: 50 },
  )
})

function heldBy(data: Record<string, string>): string {
  return Object.values(data)
    .map((base64) => Buffer.from(base64, 'base64').toString())
    .join('\n')
}

test('the script gets one world with its wallets, and checks the target first', () => {
  const [object] = buildManifests(plan, parts)
  const data = object?.data as Record<string, string> // as: of the Secret
  const config = JSON.parse(Buffer.from(data['config.json'] ?? '', 'base64').toString())
  expect(config).toMatchObject({
    worlds: { main: { profile: { baseUrl: 'http://exchange.example/api', ca: null } } },
    mix: { name: 'reads' },
    // In the TestRun.
    load: null,
    checkTarget: true,
    rules: [],
    seed: 7,
  })
})

test('more wallets than fit into a Secret are rejected before any cluster request', () => {
  const wallets = Array.from({ length: 10_000 }, (_, index) => ({
    address: `bw1${'0'.repeat(60)}${index}`,
    privateKeyJwk: {
      kty: 'EC' as const,
      crv: 'P-256' as const,
      x: 'x'.repeat(43),
      y: 'y'.repeat(43),
      d: 'd'.repeat(43),
    },
    hasAccess: true,
    admin: false,
  }))
  const full = { ...plan, target: { ...plan.target, wallets } }
  expect(() => buildManifests(full, parts)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /^the Secret of the run would have [0-9]{7} bytes, but a Secret holds 1048576$/,
      ),
      hint: expect.stringContaining('10000 wallets'),
      exitCode: 2,
    }),
  )
})

test('and so is a script that does not fit into a ConfigMap', () => {
  expect(() => buildManifests(plan, { ...parts, script: 'é'.repeat(2 ** 19 + 1) })).toThrow(
    expect.objectContaining({
      message: 'the ConfigMap of the run would have 1048578 bytes, but a ConfigMap holds 1048576',
      hint: 'Use the script in the image: --script image.',
    }),
  )
})
