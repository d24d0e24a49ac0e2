// Every command that takes a target, against one stub with TLS, with real k6 if the command uses k6.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { reportSchema } from '../../contract/report.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import type { KubeObject } from '../k8s/api/kube-object.ts'
import { createStubCertificate } from '../stub/write-profile.ts'

test('each command works against a stub over TLS', { timeout: 300_000 }, async () => {
  const cwd = temporaryFolder()
  const { identity, ca } = await createStubCertificate({ host: '127.0.0.1' })
  writeFileSync(join(cwd, 'ca.pem'), ca)
  const given = await givenStub(cwd, { tls: identity })
  given.writeProfile({ more: { ca: 'ca.pem' } })
  const env = {
    ...process.env,
    BREAKWATER_API_TOKENS: given.stub.apiTokens.join(','),
    BREAKWATER_CONTROL_TOKEN: given.stub.controlToken,
  }
  const breakwater = async (line: string) => {
    const { exitCode, stdout, stderr } = await runCommandLine(line.split(' '), { cwd, env })
    return { line, exitCode, stdout, stderr }
  }
  const readReport = (folder: string) =>
    reportSchema.parse(JSON.parse(readFileSync(join(cwd, folder, 'report.json'), 'utf8')))
  const readVerdicts = (folder: string) =>
    readReport(folder).rules.map(({ id, verdict }) => `${id} ${verdict}`)

  const doctor = await breakwater('doctor --target profile.json')
  expect(doctor.stdout).toMatch(/^ok +tls +TLSv1\.3, certificate valid until /m)

  // One rule of each group: sign-in by cookies, CSRF, refresh, tokens, and sockets.
  const rules =
    'wire.tokens.*,auth.cookies.*,auth.csrf.*,auth.refresh.rotates,api-token.bearer.works,ws.sync.answered'
  await breakwater(`smoke --target profile.json --no-load --rules ${rules} --output smoke`)
  const verdicts = readVerdicts('smoke')
  expect(verdicts.length).toBeGreaterThan(5)
  expect(verdicts.filter((verdict) => !verdict.endsWith(' pass'))).toEqual([])

  for (const line of [
    'load --target profile.json --rate 20 --duration 2s --warm-up 1s --mix smoke --output load',
    'capacity --target profile.json --from 5 --to 10 --trial-duration 2s --max-duration 30s --output capacity',
    'compare --run profile.json profile.json --rate 10 --duration 2s --warm-up 0s --repeat 1 --allow-single-run',
    'repro run refresh-race-two-tabs --target profile.json --output repro',
    'init scenario mine',
    'run mine.k6.ts --target profile.json --output run',
    'observe --target profile.json --duration 0s',
    'faults apply base-20ms --target profile.json',
    'faults list --target profile.json',
    'faults clear --target profile.json',
  ]) {
    const { exitCode, stderr } = await breakwater(line)
    // Exit 1 is possible on a busy machine; an error would have a message.
    expect([line, [0, 1, 3, 4].includes(exitCode), stderr.includes('breakwater:')]).toEqual([
      line,
      true,
      false,
    ])
  }
  expect(readVerdicts('run')).toEqual(['own.pools.listed-reads pass'])
  expect(readVerdicts('repro').filter((verdict) => !verdict.endsWith(' pass'))).toEqual([])
  for (const folder of ['load', 'capacity'])
    expect(readReport(folder).latency.groups[0]).toMatchObject({ routeGroup: '*', failed: 0 })

  // Runners are on other machines, which cannot reach loopback.
  const elsewhere = { baseUrl: 'https://stub.example', wsUrl: 'wss://stub.example', control: null }
  given.writeProfile({ more: { ca: 'ca.pem', ...elsewhere } })
  const line =
    'k8s render --target profile.json --confirm stub.example --rate 10 --image registry.example/b:1'
  const rendered = await breakwater(line)
  const objects: KubeObject[] = parseAllDocuments(rendered.stdout).map((document) => document.toJS())
  expect(objects.find(({ kind }) => kind === 'Secret')).toMatchObject({
    data: { 'ca.pem': Buffer.from(ca).toString('base64') },
  })
})
