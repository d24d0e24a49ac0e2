import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { GeneratorSample, ProcessSample } from './read-proc.ts'
import {
  createPsReader,
  generatorWarnings,
  healthOf,
  processesOf,
  watchGenerator,
} from './watch-generator.ts'

const PATIENCE = { timeout: 20_000 }

const PROCESS: ProcessSample = {
  cpuMs: 0,
  runDelayMs: 0,
  openFiles: 20,
  openFilesLimit: 1000,
  residentMb: 100,
}

function sampleAt(atMs: number, processes: Record<number, Partial<ProcessSample>>): GeneratorSample {
  return {
    atMs,
    processes: new Map(
      Object.entries(processes).map(([pid, process]) => [Number(pid), { ...PROCESS, ...process }]),
    ),
    machine: { busyMs: 1.5 * atMs, totalMs: 2 * atMs },
    coresMax: 2,
    timeWaitSockets: 5,
    ephemeralPorts: 28_232,
  }
}

const SAMPLES = [
  sampleAt(500, { 1: { openFiles: 900, residentMb: 900 } }),
  sampleAt(1000, { 1: { cpuMs: 700, runDelayMs: 10 }, 2: { cpuMs: 300, runDelayMs: 0 } }),
  sampleAt(2000, { 1: { cpuMs: 1200, runDelayMs: 260, openFiles: 60 }, 2: { cpuMs: 800, runDelayMs: 50 } }),
  // One has ended: what it had used by then counts.
  sampleAt(3000, { 1: { cpuMs: 2200, runDelayMs: 510, residentMb: 300 } }),
  sampleAt(3500, { 1: { cpuMs: 9999, openFiles: 990 } }),
]
const WINDOW = { fromMs: 1000, toMs: 3000 }

test('adds processes up over the window', () => {
  expect(healthOf({ samples: SAMPLES, window: WINDOW, goProcessors: Number.POSITIVE_INFINITY })).toEqual({
    cpuCores: 1,
    cpuCoresMax: 2,
    machineBusy: 0.75,
    runQueueCores: 0.275,
    throttledShare: null,
    openFilesMax: 60,
    openFilesLimit: 1000,
    portsUsedMax: 85,
    portsMax: 28_232,
    residentMbMax: 300,
  })
})

test('Go may be told to use fewer cores, each process so many', () => {
  const coresOf = (goProcessors: number, samples = SAMPLES) =>
    healthOf({ samples, window: WINDOW, goProcessors }).cpuCoresMax
  expect([coresOf(1), coresOf(1, [sampleAt(1500, { 1: {} })]), coresOf(4)]).toEqual([2, 1, 2])
})

test('where nothing was seen within the window, nothing is told', () => {
  const health = healthOf({ samples: SAMPLES, window: { fromMs: 3600, toMs: 9000 }, goProcessors: 1 })
  const { cpuCoresMax, ...rest } = health
  expect(new Set(Object.values(rest))).toEqual(new Set([null]))
  expect(cpuCoresMax).toBe(1)
})

// Each keeps a core busy for as long as it lives, and says so as it has begun.
const BUSY = "console.log('on'); for (;;);"

test.each([
  ['this system', undefined],
  ['ps', createPsReader()],
])('a process that is busy is seen to be: %s', async (_, read) => {
  const child = spawn(process.execPath, ['-e', BUSY], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const watch = watchGenerator({ pids: () => [child.pid ?? 0], env: {}, everyMs: 20, ...(read && { read }) })
  onTestFinished(watch.stop)
  const fromMs = Date.now()
  const health = () => watch.health({ fromMs, toMs: Date.now() })
  await expect.poll(() => health().cpuCores, PATIENCE).toBeGreaterThan(0)
  expect(health().residentMbMax).toBeGreaterThan(10)
  expect(health().cpuCoresMax).toBeGreaterThan(0)
})

test('a reader that fails is no error', async () => {
  let asked = 0
  const read = async () => {
    asked++
    throw new Error('no')
  }
  const watch = watchGenerator({ pids: () => [1], env: { GOMAXPROCS: '1' }, everyMs: 1, read })
  await expect.poll(() => asked, PATIENCE).toBeGreaterThan(2)
  watch.stop()
  expect(watch.health({ fromMs: 0, toMs: Date.now() }).cpuCores).toBeNull()
})

test.each([
  ['macOS', '  501   0:01.27   4096\n 3620 123:45.60  20480\n', [1270, 7_425_600]],
  ['procps', '    501 00:00:01  4096\n   3620 02:03:45 20480\n', [1000, 7_425_000]],
  ['a process of days', '501 1-02:03:04 4096\n3620 0:00 20480\n', [93_784_000, 0]],
])('reads what ps prints: %s', (_, text, [one, other]) => {
  const beyond = { runDelayMs: null, openFiles: null, openFilesLimit: null }
  expect(processesOf(text)).toEqual(
    new Map([
      [501, { ...beyond, cpuMs: one, residentMb: 4 }],
      [3620, { ...beyond, cpuMs: other, residentMb: 20 }],
    ]),
  )
})

test('reads this process, and leaves out one that is not there', async () => {
  const { processes, machine, coresMax } = await createPsReader()([process.pid, 2 ** 22 + 1])
  expect([...processes.keys()]).toEqual([process.pid])
  expect(processes.get(process.pid)?.residentMb).toBeGreaterThan(10)
  expect(machine?.busyMs).toBeGreaterThan(0)
  expect(machine?.totalMs).toBeGreaterThanOrEqual(machine?.busyMs ?? Number.NaN)
  expect(coresMax).toBeGreaterThan(0)
})

test('where no process has begun, none is read', async () => {
  expect((await createPsReader()([])).processes).toEqual(new Map())
})

const PROVISIONS = { openFilesLimit: 1000, ephemeralPorts: 2000 }

test.each([
  ['what fits', { vusMax: 950, instances: 1 }, []],
  ['what fits over three processes', { vusMax: 1500, instances: 3 }, []],
  [
    'too many files',
    { vusMax: 951, instances: 1 },
    [
      '951 VUs may need 1,001 open files in a k6 process, and it may have 1,000: raise the hard limit (ulimit -Hn), take more --instances, or less --max-vus',
    ],
  ],
  [
    'sockets of the feed besides: too many ports',
    { vusMax: 1001, instances: 9, socketsPerVu: 2 },
    [
      '1,001 VUs may need 2,002 ports, and there are 2,000: widen net.ipv4.ip_local_port_range, take another machine besides (breakwater merge), or less --max-vus',
    ],
  ],
])('%s', (_, load, warnings) => {
  expect(generatorWarnings(load, PROVISIONS)).toEqual(warnings)
})

test('where nothing is known, nothing is warned of', () => {
  const unknown = { openFilesLimit: null, ephemeralPorts: null }
  expect(generatorWarnings({ vusMax: 1e9, instances: 1 }, unknown)).toEqual([])
})

test.runIf(process.platform === 'linux')('knows this machine', () => {
  expect(generatorWarnings({ vusMax: 1, instances: 1 })).toEqual([])
  expect(generatorWarnings({ vusMax: 1e12, instances: 1 })).toHaveLength(2)
})
