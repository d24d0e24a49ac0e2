import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { createRandom } from '../../simulator/random.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { sampleNames } from '../../tools/test/tree-sample.ts'
import { withWalletSession } from '../target/own-tokens.ts'

/** Echoes each request in all parts of its response, unchanged and in other spellings. */
async function startEcho(): Promise<string> {
  const server = createServer((request, response) => {
    const sent = [
      request.url ?? '',
      ...Object.values(request.headersDistinct).flatMap((values) => values ?? []),
    ]
    const shown = sent.flatMap((value) => [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString('base64'),
      Buffer.from(value).toString('base64url'),
    ])
    response.writeHead(request.url?.startsWith('/tokens') ? 200 : 401, {
      'content-type': 'application/json',
      location: `/login?${encodeURIComponent(sent.join())}`,
    })
    response.end(JSON.stringify({ error: shown.join(' '), code: 'unauthorized', data: shown }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  return `127.0.0.1:${(server.address() as AddressInfo).port}` // as: it listens on a port
}

const CHARACTERS =
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~!$\'()*+,/:@&="\\<>{}|^`%# '

test.each(sampleNames(['1', '2'], 1))(
  'what a profile holds is in nothing that is written and printed: seed %s',
  { timeout: 240_000 },
  async (seed) => {
    const random = createRandom(Number(seed)).stream('secrets')
    const secrets: string[] = []
    const secret = (characters = CHARACTERS) => {
      const one = Array.from({ length: random.int(12, 40) }, () => random.pick([...characters]))
      secrets.push(`s${one.join('')}s`)
      return secrets.at(-1) ?? ''
    }
    const host = await startEcho()
    const dir = temporaryFolder()
    const cookie = secret(CHARACTERS.replace(/[ ",;\\]/g, ''))
    const profile = {
      name: 'echo',
      baseUrl: `http://${host}`,
      wsUrl: `ws://${host}`,
      metrics: `http://${host}/metrics?key=${encodeURIComponent(secret())}`,
      headers: {
        Authorization: `Basic ${btoa(`me:${secret()}`)}`,
        Cookie: `a=b; gate=${cookie}`,
        'X-Key': secret(),
        // Spelled like the report's own words.
        'X-Stage': 'evidence',
        'X-Kind': 'inconclusive',
      },
      credentials: { wallets: 'wallets.json', signer: `http://${host}/sign?${encodeURIComponent(secret())}` },
    }
    const wallets = [{ address: 'bw1a', hasAccess: true, admin: false }] as const
    writeFileSync(join(dir, 'p.json'), JSON.stringify(profile))
    writeFileSync(join(dir, 'wallets.json'), JSON.stringify(wallets))
    const env = {
      ...process.env,
      BREAKWATER_HEADERS: JSON.stringify({ 'X-Env': `Bearer ${secret()}` }),
      BREAKWATER_API_TOKENS: secret(CHARACTERS.replace(/[ ,]/g, '')),
    }
    const lines = [
      'doctor --verbose --target p.json',
      'smoke --verbose --target p.json --no-load --rules auth.*,api-token.*,wire.tokens.*,access.* --output smoke',
      'load --verbose --target p.json --rate 5 --duration 2s --output load',
      'load --target p.json --mix bots --rate 1',
      'load --target p.json --rate 5 --k6-out influxdb=http://me:s3cret@db/k6',
    ]
    const texts = new Map<string, string>()
    for (const line of lines) {
      const { stdout, stderr } = await runCommandLine(line.split(' '), { cwd: dir, env })
      texts.set(line, stdout + stderr)
    }
    const [wallet] = wallets
    const failure = withWalletSession(profileSchema.parse(profile), wallet, async () => 'signed in')
    texts.set('the sign-in', await failure.catch(String))
    for (const folder of ['smoke', 'load']) {
      for (const name of readdirSync(join(dir, folder)))
        texts.set(`${folder}/${name}`, readFileSync(join(dir, folder, name), 'utf8'))
    }
    expect(texts.get('smoke/findings.ndjson')).toContain('<redacted>')
    expect(texts.get('smoke/findings.ndjson')).toMatch(/"verdict":"inconclusive",.*"evidence":\[/)
    expect(texts.get('the sign-in')).toContain('<redacted>')
    secrets.push('s3cret')
    for (const [name, text] of texts) {
      for (const one of secrets) {
        const spelt = [
          one,
          encodeURIComponent(one),
          JSON.stringify(one).slice(1, -1),
          Buffer.from(one).toString('base64').replace(/=+$/, ''),
        ]
        expect(
          spelt.filter((form) => text.includes(form)),
          name,
        ).toEqual([])
      }
    }
  },
)
