import { expect, test } from 'vitest'
import { createPsReader, processesOf } from './read-ps.ts'

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
