import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { huntWorldSchema } from '../../hunt/schedule.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import {
  createAttachedRunner,
  measureGroupCpuMs,
  startHuntStub,
  withCommandRunner,
  withRunner,
} from './run-external.ts'

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

test('a client that is already running and examined: the run starts with its first request, and reports if none came', async () => {
  const world = huntWorldSchema.parse({ durationMs: 1000 })
  const stub = await startHuntStub(world)
  onTestFinished(() => stub.close())
  const run = createAttachedRunner({ stub, io: writtenIo().io, isExamined: true })
  const { faults } = faultPlanSchema.parse({
    description: 'of a test',
    faults: [{ fault: 'http-error', when: { afterMs: 900 } }],
  })
  expect((await run([], world)).clientEnd).toBeNull()
  expect((await run(faults, world)).clientEnd).toBe('it sent nothing; restart it whenever it exits')

  const script = `setTimeout(() => fetch('${stub.profile.baseUrl}/pools?limit=1'), 1000)`
  const client = spawn(process.execPath, ['-e', script])
  onTestFinished(() => void client.kill())
  const { entries, clientEnd } = await run(faults, { ...world, durationMs: 6000 })
  expect({ entries, clientEnd }).toMatchObject({
    entries: [{ kind: 'request', status: 200 }],
    clientEnd: null,
  })
})

test('starts no stub, which would keep the process alive, if the temporary folder cannot be used', async () => {
  const world = huntWorldSchema.parse({ durationMs: 1000 })
  const taken = await startHuntStub(world)
  onTestFinished(() => taken.close())
  vi.stubEnv('TMPDIR', '/dev/null')
  onTestFinished(() => void vi.unstubAllEnvs())
  const port = Number(new URL(taken.profile.baseUrl).port)
  const run = withRunner({ io: writtenIo().io, port, feedPort: 0, parallel: 1 }, [world], async () => {})
  await expect(run).rejects.toThrow('temporary folder /dev/null (TMPDIR): cannot be written: ')
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

test('adds no exit listener for each client, since Node warns of a leak at the eleventh', async () => {
  const world = huntWorldSchema.parse({ durationMs: 1000 })
  const listen = vi.spyOn(process, 'once')
  onTestFinished(() => void listen.mockRestore())
  const io = { ...writtenIo().io, env: process.env }
  const { clientEnd } = await withCommandRunner({ command: 'exit 7', io }, (run) => run([], world))
  expect(clientEnd).toBe('it exited with 7')
  expect(listen.mock.calls.filter(([event]) => String(event) === 'exit')).toEqual([])
})

const SIGNS_OUT = `const { BREAKWATER_BASE_URL: base } = process.env
const request = (path) => fetch(base + path).then((response) => response.text())
process.on('SIGTERM', () => request('/pools?limit=2').then(() => process.exit()))
await request('/pools?limit=1')
setInterval(() => {}, 1000)`

test('faults of a client that is examined start with its first request', async () => {
  const world = huntWorldSchema.parse({ durationMs: 6000 })
  const io = { ...writtenIo().io, env: process.env }
  const script = `setTimeout(() => fetch(process.env.BREAKWATER_BASE_URL + '/pools?limit=1'), 1000)`
  const command = `${process.execPath} -e "${script}"`
  const { faults } = faultPlanSchema.parse({
    description: 'of a test',
    faults: [{ fault: 'http-error', when: { afterMs: 900 } }],
  })
  const { entries } = await withCommandRunner({ command, io, isExamined: true }, (run) => run(faults, world))
  expect(entries).toMatchObject([{ kind: 'request', status: 200 }])
})

test('a client that is examined is judged by what it does when it is stopped', async () => {
  const world = huntWorldSchema.parse({ durationMs: 3000 })
  const client = `${process.execPath} --input-type=module -e "${SIGNS_OUT}"`
  const pages = async (options: { isExamined?: true }) => {
    const { entries, clientEnd } = await withCommandRunner(
      { ...options, command: client, io: { ...writtenIo().io, env: process.env } },
      (run) => run([], world),
    )
    return { clientEnd, requests: entries.filter(({ kind }) => kind === 'request').length }
  }
  expect(await pages({})).toEqual({ clientEnd: null, requests: 1 })
  expect(await pages({ isExamined: true })).toEqual({ clientEnd: null, requests: 2 })
})

test('a client that is examined is judged after it has given up at a fault, but not if it fails without one', async () => {
  const world = huntWorldSchema.parse({ durationMs: 3000 })
  const io = { ...writtenIo().io, env: process.env }
  const script = `await fetch(process.env.BREAKWATER_BASE_URL + '/pools?limit=1'); process.exit(7)`
  const command = `${process.execPath} --input-type=module -e "${script}"`
  const { faults } = faultPlanSchema.parse({ description: 'of a test', faults: [{ fault: 'http-error' }] })
  const tookMs = async (schedule: typeof faults) => {
    const result = await withCommandRunner({ command, io, isExamined: true }, async (run) => {
      const startedMs = performance.now()
      const { clientEnd, routes } = await run(schedule, world)
      return { clientEnd, routes, tookMs: performance.now() - startedMs }
    })
    expect(result).toMatchObject({ clientEnd: 'it exited with 7', routes: ['GET /pools'] })
    return result.tookMs
  }
  expect(await tookMs(faults)).toBeGreaterThanOrEqual(3000)
  await tookMs([])
})
