import { expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { serverRules } from '../../contract/rule.ts'
import { PROBE_WALLETS, type Target } from '../../contract/scenario-config.ts'
import { loadMix, mixNames } from '../given-files.ts'
import { fitMix, matchRules } from './plan.ts'

const WALLET = {
  address: 'bw1',
  privateKeyJwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' },
  hasAccess: true,
  admin: false,
} as const

function target(more: Partial<Target> = {}): Target {
  return {
    profile: profileSchema.parse({
      name: 'test',
      baseUrl: 'http://127.0.0.1:1',
      wsUrl: 'ws://127.0.0.1:1',
    }),
    wallets: Array.from({ length: PROBE_WALLETS }, () => WALLET),
    apiTokens: ['ss_token'],
    controlToken: null,
    ...more,
  }
}

test.each([
  { what: 'all there', target: target(), kept: 'visitors traders bots crawler', says: [] },
  {
    what: 'no API token',
    target: target({ apiTokens: [] }),
    kept: 'visitors traders bots crawler',
    says: [],
  },
  {
    what: 'no API token, and a run that makes none',
    target: target({ apiTokens: [] }),
    makesTokens: false,
    kept: 'visitors traders crawler',
    says: [
      {
        client: 'bots',
        why: 'no API token; the environment variable BREAKWATER_API_TOKENS is not set, and none can be created: this run makes none',
      },
    ],
  },
  {
    what: 'only the administrator’s wallet',
    target: target({ wallets: [{ ...WALLET, admin: true }] }),
    kept: 'visitors bots crawler',
    says: [
      { client: 'traders', why: 'the profile has no wallet with access that is not an administrator’s' },
    ],
  },
  {
    what: 'no signer',
    target: target({ wallets: [{ address: 'bw1', hasAccess: true, admin: false }] }),
    kept: 'visitors bots crawler',
    says: [{ client: 'traders', why: 'a wallet has no private key, and the profile has no signer' }],
  },
  {
    what: 'one wallet, needed by probes',
    target: target({ wallets: [WALLET] }),
    kept: 'visitors bots crawler',
    says: [{ client: 'traders', why: 'the probes need the wallets: the profile has fewer than 20' }],
  },
  {
    what: 'one wallet, and no probes',
    target: target({ wallets: [WALLET] }),
    withProbes: false,
    kept: 'visitors traders bots crawler',
    says: [],
  },
  {
    what: 'no writes allowed',
    target: target(),
    refused: 'not allowed',
    kept: 'visitors bots crawler',
    says: [{ client: 'traders', why: 'not allowed' }],
  },
])(
  'with $what: $kept',
  async ({ target, kept, says, refused = null, withProbes = true, makesTokens = true }) => {
    const { mix, leftOut } = fitMix(await loadMix('smoke', '.'), target, {
      writesRefused: refused,
      withProbes,
      makesTokens,
    })
    expect(mix?.clients.map(({ name }) => name).join(' ')).toBe(kept)
    expect(leftOut).toEqual(says)
  },
)

test('no mix if none of its clients can run', async () => {
  const { mix } = fitMix(await loadMix('bots', '.'), target({ apiTokens: [] }), {
    writesRefused: null,
    withProbes: true,
    makesTokens: false,
  })
  expect(mix).toBeNull()
})

test.each(mixNames())('fixtures/mixes/%s.json is a mix of that name', async (name) => {
  expect((await loadMix(name, '.')).name).toBe(name)
})

test('rejects an unknown name and suggests the nearest', async () => {
  await expect(loadMix('rush', '.')).rejects.toMatchObject({
    message: 'unknown mix "rush"',
    hint: expect.stringMatching(/^Did you mean bots, reads or market\? /),
    exitCode: 2,
  })
})

const rules = serverRules([
  ['ws.rooms.at-most-32', '', '', '', 'how'],
  ['ws.auth.ticket', '', '', '', 'how'],
  ['auth.logout.current-only', '', '', '', 'how'],
])

test.each([
  ['*', ['ws.rooms.at-most-32', 'ws.auth.ticket', 'auth.logout.current-only']],
  ['ws.*', ['ws.rooms.at-most-32', 'ws.auth.ticket']],
  ['*.auth.*', ['ws.auth.ticket']],
  ['ws.auth.ticket, auth.*', ['ws.auth.ticket', 'auth.logout.current-only']],
])('%s selects %j', (glob, selected) => {
  expect(matchRules(glob, rules)).toEqual(selected)
})

test.each(['nothing.*', 'ws.rooms.at-most-3.', 'ws', ''])('rejects %j, which matches no rule', (glob) => {
  expect(() => matchRules(glob, rules)).toThrow(`--rules: no rule matches "${glob}"`)
})
