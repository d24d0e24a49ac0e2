import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { createProcReader } from './read-proc.ts'

/** As Linux 6.18 tells it of a program that is called `a) (b`. */
const RECORDED = {
  'proc/stat':
    'cpu  4218546 140921 815529 1548741 7794 0 114281 6260 120 4\ncpu0 2100615 69960 399147 794326 1546 0 56628 3146 0 0\n',
  'proc/net/sockstat': 'sockets: used 19\nTCP: inuse 2 orphan 0 tw 31 alloc 2 mem 194\nUDP: inuse 0 mem 0\n',
  'proc/sys/net/ipv4/ip_local_port_range': '32768\t60999\n',
  'proc/77/stat':
    '77 (a) (b) R 22568 22568 18635 0 -1 4194304 101 0 0 0 250 31 0 0 20 0 1 0 3448826 3133440 390 18446744073709551615 1 1 1 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 1 1 1 1 1 1 1 0\n',
  'proc/77/status': 'Name:\ta) (b\nVmRSS:\t   10240 kB\nCpus_allowed:\td\nCpus_allowed_list:\t0,2-3\n',
  'proc/77/limits':
    'Limit                     Soft Limit           Hard Limit           Units     \nMax open files            20000                30000                files     \n',
  'proc/77/cgroup': '1:cpu:/\n0::/jobs/load\n',
  'proc/77/task/77/schedstat': '1425156 10765598 8\n',
  'proc/77/task/78/schedstat': '5000000 2000000 1\n',
  'proc/77/fd/0': '',
  'proc/77/fd/1': '',
  'groups/cpu.max': 'max 100000\n',
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

function recorded(files: Readonly<Record<string, string>> = RECORDED) {
  const folder = temporaryFolder()
  write(folder, files)
  return {
    folder,
    read: createProcReader({ proc: join(folder, 'proc'), cgroups: join(folder, 'groups') }),
  }
}

test('reads a process and its machine', async () => {
  const { read } = recorded()
  const sample = await read([77, 999])
  expect(sample).toEqual({
    atMs: expect.any(Number),
    processes: new Map([
      [
        77,
        {
          cpuMs: 2810,
          runDelayMs: 12.765598,
          openFiles: 2,
          openFilesLimit: 20_000,
          residentMb: 10,
        },
      ],
    ]),
    machine: { busyMs: 52_955_370, totalMs: 68_520_720 },
    coresMax: 3,
    timeWaitSockets: 31,
    ephemeralPorts: 28_232,
  })
})

test('what threads waited for that have ended is kept', async () => {
  const { read, folder } = recorded()
  await read([77])
  rmSync(join(folder, 'proc/77/task/78'), { recursive: true })
  write(folder, { 'proc/77/task/77/schedstat': '1425156 11000000 8\n' })
  expect((await read([77])).processes.get(77)?.runDelayMs).toBe(13)
})

test.each([
  ['the group', { 'groups/jobs/load/cpu.max': '150000 100000\n' }],
  [
    'a group around it',
    { 'groups/jobs/cpu.max': '150000 100000\n', 'groups/jobs/load/cpu.max': 'max 100000\n' },
  ],
])('a quota of %s leaves it fewer cores', async (_, groups) => {
  const { read } = recorded({ ...RECORDED, ...groups })
  expect((await read([77])).coresMax).toBe(1.5)
})

test('what is not there is null', async () => {
  const { read } = recorded({ 'proc/77/stat': RECORDED['proc/77/stat'] })
  expect(await read([77])).toMatchObject({
    processes: new Map([
      [77, { cpuMs: 2810, runDelayMs: null, openFiles: null, openFilesLimit: null, residentMb: null }],
    ]),
    machine: null,
    timeWaitSockets: null,
    ephemeralPorts: null,
  })
})

test.runIf(process.platform === 'linux')('reads this process', async () => {
  const read = createProcReader()
  const before = await read([process.pid])
  const until = process.cpuUsage().user + 30_000
  while (process.cpuUsage().user < until);
  const after = await read([process.pid])
  const [from, to] = [before, after].map(({ processes }) => processes.get(process.pid))
  expect((to?.cpuMs ?? 0) - (from?.cpuMs ?? 0)).toBeGreaterThanOrEqual(20)
  expect(to?.runDelayMs).toBeGreaterThanOrEqual(from?.runDelayMs ?? Number.NaN)
  expect(to?.openFiles).toBeGreaterThan(2)
  expect(to?.openFilesLimit).toBeGreaterThan(2)
  expect(to?.residentMb).toBeGreaterThan(10)
  expect(after.machine?.busyMs).toBeGreaterThan(before.machine?.busyMs ?? Number.NaN)
  expect(after.machine?.totalMs).toBeGreaterThanOrEqual(after.machine?.busyMs ?? Number.NaN)
  expect(after.coresMax).toBeGreaterThan(0)
  expect(after.ephemeralPorts).toBeGreaterThan(1)
})
