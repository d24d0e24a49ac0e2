import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { projectPath } from '../../project.ts'
import { plannedLoad } from '../test-cluster-plan.ts'
import { manifestFiles } from './manifest-parts.ts'

const plan = await plannedLoad()

test('the script is one file, the same on every machine', async () => {
  const { script } = await manifestFiles(plan, {})
  // Its functions, which the scenarios name.
  expect(script).toMatch(/export\{client,heartbeat,/)
  expect(script).not.toContain(projectPath('.').slice(1))
})

test('omitted if the image contains it', async () => {
  const cluster = { ...plan.cluster, script: 'image' } as const
  expect(await manifestFiles({ ...plan, cluster }, {})).toEqual({ script: null, ca: null, settings: {} })
})

test('reads certificates, and the settings of the requested outputs', async () => {
  const ca = join(temporaryFolder(), 'ca.pem')
  writeFileSync(ca, 'the certificates')
  const target = { ...plan.target, profile: { ...plan.target.profile, ca } }
  const k6Outs = [{ name: 'influxdb', argument: null }]
  const env = { K6_INFLUXDB_PASSWORD: 'p', K6_VUS: '1', K6_OTEL_HEADERS: 'h', PATH: '/bin' }
  expect(await manifestFiles({ ...plan, target, k6Outs }, env)).toMatchObject({
    ca: 'the certificates',
    settings: { K6_INFLUXDB_PASSWORD: 'p' },
  })
})
