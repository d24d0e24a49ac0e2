import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { type GivenStub, givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

/** Requests about the stub itself. */
const ABOUT_IT = ['/metrics', '/health']
/** Independent of the speed of the machine. */
const LENIENT = { name: 'lenient', objectives: [{ routeGroup: '*', quantile: 0.5, latencyMsMax: 9000 }] }

test.each([
  {
    what: 'a remote target that does not allow load',
    more: { ...elsewhere(), allow: { load: false, mutations: true } },
    args: [],
    says: 'load: [::ffff:7f00:1]: the profile does not allow a load (allow.load)',
  },
  {
    what: 'a remote target without --confirm',
    more: { ...elsewhere(), allow: { load: true, mutations: true } },
    args: [],
    says: 'load: [::ffff:7f00:1]: the command line does not confirm a load (--confirm [::ffff:7f00:1])',
  },
  {
    what: 'the one of three hosts that no --confirm names',
    more: {
      ...elsewhere(),
      wsUrl: 'ws://feed.example',
      metrics: 'http://metrics.example',
      allow: { load: true, mutations: true },
    },
    args: ['--confirm', '[::ffff:7f00:1]', '--confirm', 'feed.example'],
    says: 'load: metrics.example: the command line does not confirm a load (--confirm metrics.example)',
  },
  {
    what: 'a mix with clients that need a token',
    more: { choices: choicesSchema.parse({ verify: { csrfToken: null } }) },
    args: ['--mix', 'bots'],
    says: 'mix bots: bots cannot use this target: no API token; the environment variable BREAKWATER_API_TOKENS is not set, and none can be created: the profile does not set choices.verify.csrfToken',
  },
  {
    what: 'an objective without requests in the mix',
    more: {},
    args: ['--slo', 'auth.json'],
    says: 'objectives a: cannot be judged with mix reads: p50 of auth at most 5 ms: no client requests the route group "auth"; expected *, explore, pools or tokens',
  },
])('rejects $what, and leaves no run', async ({ more, args, says }) => {
  const { cwd, given } = await withTarget(more)
  const auth = { name: 'a', objectives: [{ routeGroup: 'auth', quantile: 0.5, latencyMsMax: 5 }] }
  writeFileSync(join(cwd, 'auth.json'), JSON.stringify(auth))
  const env = { ...process.env, BREAKWATER_API_TOKENS: '' }
  const argv = ['load', '--rate', '5', '--target', 'profile.json', ...args]
  const { exitCode, stderr } = await runCommandLine(argv, { cwd, env })
  expect(stderr).toContain(`breakwater: ${says}\n`)
  expect(exitCode).toBe(2)
  expect(readdirSync(cwd).sort()).toEqual(['auth.json', 'profile.json', 'slo.json', 'wallets.json'])
  expect(await given.requests(ABOUT_IT)).toEqual([])
})

test('a temporary folder that cannot be used is an error before a run starts', async () => {
  const cwd = temporaryFolder()
  vi.stubEnv('TMPDIR', '/dev/null')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { exitCode, stderr } = await runCommandLine(['load', '--rate', '5', '-o', 'out'], { cwd })
  expect(stderr).toMatch(
    /^breakwater: temporary folder \/dev\/null \(TMPDIR\): cannot be written: .*\n {2}Set TMPDIR /,
  )
  expect(exitCode).toBe(3)
  expect(readdirSync(cwd)).not.toContain('out')
})

function elsewhere() {
  return { baseUrl: 'http://[::ffff:7f00:1]:1', wsUrl: 'ws://[::ffff:7f00:1]:1' }
}

async function withTarget(more: object = {}): Promise<{ cwd: string; given: GivenStub }> {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more })
  writeFileSync(join(cwd, 'slo.json'), JSON.stringify(LENIENT))
  return { cwd, given }
}

test.each(['load --rate 5', 'smoke'])('%s rejects --allow-single-run without --baseline', async (line) => {
  const { exitCode, stderr } = await runCommandLine([...line.split(' '), '--allow-single-run'], {
    cwd: temporaryFolder(),
  })
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(
    /^breakwater: (load|smoke): --allow-single-run needs --baseline\n {2}Without a baseline, /,
  )
})
