import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { huntWorldSchema } from '../../hunt/schedule.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import { createAttachedRunner, measureGroupCpuMs, startHuntStub } from './run-external.ts'

test('a client that is already running is judged for each run alone, without the faults of the run before', async () => {
  const world = huntWorldSchema.parse({ durationMs: 1000 })
  const stub = await startHuntStub(world)
  onTestFinished(() => stub.close())
  const run = createAttachedRunner({ stub, io: writtenIo().io })
  const request = async (path: string) => (await fetch(`${stub.profile.baseUrl}${path}`)).status
  const { faults } = faultPlanSchema.parse({
    description: 'of a test',
    faults: [{ fault: 'http-error', where: { routes: ['GET /pools'] } }],
  })

  const first = run([], world)
  expect(await request(`/pools?limit=1&key=${stub.apiTokens[0]}`)).toBe(200)
  expect((await first).violations.map(({ rule }) => rule)).toEqual(['client.secrets.not-in-urls'])

  const second = run(faults, world)
  expect(await request('/pools')).toBe(503)
  const { violations, taken, routes } = await second
  expect({ violations, routes }).toEqual({ violations: [], routes: ['GET /pools'] })
  expect(taken).toMatchObject([{ fault: 'http-error', when: { on: [1] } }])
  expect(await request('/pools')).toBe(200)
})

test.runIf(existsSync('/proc/self/stat'))(
  'measures the CPU time of a client and of its children that have ended',
  async () => {
    const burn =
      'for (;;) { const { user, system } = process.cpuUsage(); if (user + system > 300_000) break }'
    const command = `'${process.execPath}' -e '${burn}'; echo done; sleep 60`
    const client = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
    const { pid = 0 } = client
    onTestFinished(() => void process.kill(-pid, 'SIGKILL'))
    await once(client.stdout, 'data')
    const measuredMs = measureGroupCpuMs(pid)
    expect(measuredMs).toBeGreaterThanOrEqual(280)
    expect(measuredMs).toBeLessThan(5000)
  },
)
