import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Profile, Wallet } from '../../contract/profile.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { runCommand } from '../../scripts/k6/run-command.ts'
import { projectPath } from '../../scripts/project.ts'
import { CHOICE_SETS, type Choices } from '../../simulator/choices/choices.ts'
import { signInAs } from '../../simulator/demo-client.ts'
import type { MutantName } from '../../simulator/mutants/mutants.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'

export type SchemathesisRun = {
  choices: ChoiceSetName
  /** The client: a bot, or a browser with an administrator's session, which may use every operation. */
  by: 'token' | 'session'
  seed: number
  /** Generated examples per operation, in addition to given examples, coverage of bounds, and request sequences. */
  examplesMax: number
  mutant?: MutantName
  paths?: string
}

const FOLDER = projectPath('tools/schemathesis')

/** Checks a stub against its OpenAPI document, with all checks. Returns Schemathesis' output lines. */
export async function runSchemathesis(
  run: SchemathesisRun,
  options: { python: string; onLine: (line: string) => void },
): Promise<{ passed: boolean }> {
  const { choices, seed, examplesMax, mutant = null, paths = '' } = run
  const stub = await startStub({
    // With a stopped clock, no session expires.
    ...{ world: 'tiny', seed: 1, choices, mutant, pace: 'manual' },
    rateLimit: { burst: 1e9, perSecond: 1e9, per: 'address' },
  })
  const sessions = await serveSessions(findWallet(stub, { admin: false }), stub.profile)
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-schemathesis-'))
  try {
    const secrets = await CREDENTIALS[run.by](stub)
    const parts = [
      readFileSync(join(FOLDER, 'schemathesis.toml'), 'utf8'),
      acceptanceConfig(CHOICE_SETS[choices]),
      authConfig(Object.keys(secrets)),
    ]
    writeFileSync(join(folder, 'schemathesis.toml'), parts.join('\n'))
    const { exitCode } = await runCommand(
      options.python,
      [
        ...['-m', 'schemathesis.cli', 'run', `${stub.profile.baseUrl}/openapi.json`, '--no-color'],
        ...['--seed', String(seed), '--max-examples', String(examplesMax), '--include-path-regex', paths],
      ],
      {
        cwd: folder,
        env: {
          ...process.env,
          ...Object.fromEntries(
            Object.entries(secrets).map(([scheme, secret]) => [nameVariable(scheme), secret]),
          ),
          ...(run.by === 'session' && { BREAKWATER_SESSIONS: sessions.url }),
          SCHEMATHESIS_HOOKS: 'hooks',
          PYTHONPATH: FOLDER,
          PYTHONDONTWRITEBYTECODE: '1',
        },
        onLine: options.onLine,
      },
    )
    return { passed: exitCode === 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    sessions.close()
    await stub.close()
  }
}

const CREDENTIALS: Record<SchemathesisRun['by'], (stub: Stub) => Promise<Record<string, string>>> = {
  token: async ({ apiTokens }) => ({ apiToken: apiTokens[0] ?? '' }),
  session: async (stub) => {
    const { cookie, csrfToken } = await signInAs(findWallet(stub, { admin: true }), stub.profile)
    const cookies = cookiesIn(cookie)
    const { access, refresh } = stub.profile.choices.cookies
    return { session: cookies[access ?? ''] ?? '', refreshToken: cookies[refresh ?? ''] ?? '', csrfToken }
  },
}

/** Statuses that say nothing about the request; 400 only for conditions that a schema cannot express. */
function acceptanceConfig({ errors }: Choices): string {
  const others = Object.values(errors.statuses).filter((status) => status !== 400)
  const accepted = ['2xx', '3xx', 401, 403, 404, 409, 429, '5xx', ...others]
  // Start must precede end; and a set of choices may return this for a wrong signature or code.
  const relaxed = [
    'ohlcv',
    'historical_trades',
    ...(errors.statuses.signature_invalid === 400 ? ['verify', 'referral/.*'] : []),
  ]
  return [
    '[checks.positive_data_acceptance]',
    `expected-statuses = ${JSON.stringify(accepted)}`,
    '[[operations]]',
    `include-path-regex = "/(${relaxed.join('|')})$"`,
    `checks.positive_data_acceptance.expected-statuses = ${JSON.stringify([...accepted, 400])}`,
    '',
  ].join('\n')
}

/** Names environment variables, so that secrets appear nowhere else. */
function authConfig(schemes: readonly string[]): string {
  const lines = schemes.map((scheme) => {
    const key = scheme === 'apiToken' ? 'bearer' : 'api_key'
    return `[auth.openapi.${scheme}]\n${key} = "\${${nameVariable(scheme)}}"\n`
  })
  return lines.join('')
}

function nameVariable(scheme: string): string {
  return `BREAKWATER_${scheme.toUpperCase()}`
}

function findWallet({ wallets }: Stub, { admin }: { admin: boolean }): Wallet {
  const wallet = wallets.find((one) => one.hasAccess && one.admin === admin)
  if (!wallet) throw new Error('the stub has no suitable wallet')
  return wallet
}

/** Creates a session per request, for hooks.py, which cannot sign. */
async function serveSessions(wallet: Wallet, profile: Profile): Promise<{ url: string; close(): void }> {
  const server = createServer(async (_request, response) => {
    const { cookie, csrfToken } = await signInAs(wallet, profile)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ cookies: cookiesIn(cookie), csrfToken }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo // as: it listens on a port
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function cookiesIn(header: string): Record<string, string> {
  return Object.fromEntries(
    header.split('; ').map((pair) => {
      const end = pair.indexOf('=')
      return [pair.slice(0, end), pair.slice(end + 1)]
    }),
  )
}
