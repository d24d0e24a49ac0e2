// Real runs against a target with an unknown signature scheme: an endpoint signs everything.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { type Report, reportSchema } from '../../contract/report.ts'
import { signMessage } from '../../simulator/demo-client.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const RUN_MS_MAX = 120_000
const requestSchema = z.strictObject({ address: z.string(), message: z.string() })

test('signs in through the signer for every wallet', { timeout: RUN_MS_MAX }, async () => {
  const stub = await startedStub()
  const requests: z.infer<typeof requestSchema>[] = []
  const report = await smokeThrough({
    stub,
    rules: 'auth.challenge.*,auth.verify.*,auth.sessions.*,auth.logout*.*,api-token.*,admin.*',
    signer: async (request, response) => {
      const { address, message } = requestSchema.parse(JSON.parse(await readText(request)))
      requests.push({ address, message })
      const wallet = stub.wallets.find((one) => one.address === address)
      if (!wallet) return void response.writeHead(404).end()
      const signature = signMessage(wallet, message).toString(stub.profile.choices.signature.encoding)
      response.end(JSON.stringify({ signature }))
    },
  })
  const others = report.rules.filter(({ verdict }) => verdict !== 'pass')
  // Rules that need a control API, which a real-time target does not have.
  expect(others.map(({ id, verdict }) => `${verdict} ${id}`)).toEqual(['skipped api-token.life.expires'])
  expect(report.rules.length).toBeGreaterThan(30)
  expect(requests.length).toBeGreaterThan(10)
  // Including white space: messages arrive unchanged, unless a probe alters or trims one on purpose.
  const whole = requests.filter(
    ({ message }) => message.startsWith('\ufeff \r\n') && message.endsWith(' \r\n'),
  )
  expect(requests.length - whole.length).toBe(10)
})

test.each<[string, RequestListener, string]>([
  [
    'is a page',
    (_, response) => response.setHeader('content-type', 'text/html').end('<html>Please sign in</html>'),
    'the signer returned 200 without {"signature": "…"}: <html>Please sign in</html>',
  ],
  ['never comes', () => {}, 'no response from the signer: request timeout'],
  ['breaks off', (request) => request.socket.destroy(), 'no response from the signer: EOF'],
])(
  'a signer whose response %s leaves the rule inconclusive',
  { timeout: RUN_MS_MAX },
  async (_, signer, reason) => {
    const { rules } = await smokeThrough({
      stub: await startedStub(),
      rules: 'auth.verify.signs-in',
      signer,
    })
    expect(rules).toMatchObject([{ id: 'auth.verify.signs-in', verdict: 'inconclusive' }])
    expect(rules[0]?.reason).toContain(reason)
  },
)

async function startedStub(): Promise<Stub> {
  const stub = await startStub({ world: 'tiny', seed: 1, choices: 'alternative', mutant: null, pace: 'real' })
  onTestFinished(stub.close)
  return stub
}

/** Runs smoke against the stub as a target with its own scheme and wallets without keys. */
async function smokeThrough(options: {
  stub: Stub
  signer: RequestListener
  rules: string
}): Promise<Report> {
  const { stub, rules } = options
  const dir = temporaryFolder()
  const out = join(dir, 'run')
  const { choices, credentials } = stub.profile
  const profile = {
    ...stub.profile,
    control: null,
    credentials: { ...credentials, wallets: 'wallets.json', signer: await served(options.signer) },
    choices: { ...choices, signature: { ...choices.signature, scheme: 'a-scheme-of-its-own' } },
  }
  const mode = 0o600
  writeFileSync(join(dir, 'profile.json'), JSON.stringify(profile), { mode })
  const wallets = stub.wallets.map(({ address, hasAccess, admin }) => ({ address, hasAccess, admin }))
  writeFileSync(join(dir, 'wallets.json'), JSON.stringify(wallets), { mode })
  await runCommandLine(
    ['smoke', '--no-load', '--target', 'profile.json', '--rules', rules, '--output', out],
    {
      cwd: dir,
      env: { ...process.env, BREAKWATER_API_TOKENS: '' },
    },
  )
  return reportSchema.parse(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')))
}

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign` // as: it listens on a port, not on a pipe
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // as: no encoding is set
  return Buffer.concat(chunks).toString()
}
