import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { writtenIo } from '../../../tools/test/written-io.ts'
import { manifestParts, plannedLoad } from '../test-cluster-plan.ts'
import { openResults } from './open-results.ts'
import { fakeCluster } from './test-fake-cluster.ts'

test('explains an address that cannot be listened on', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on TCP
  const refusal = async (host: string) => {
    const plan = await plannedLoad({ results: { kind: 'here', host, port } })
    const { cluster } = fakeCluster({ seen: [], dir: temporaryFolder() })
    return openResults(plan, { cluster, io: writtenIo().io, parts: manifestParts(plan) })
  }
  await expect(refusal('127.0.0.1')).rejects.toMatchObject({
    message: `--results here=127.0.0.1:${port}: the port is in use`,
    exitCode: 3,
  })
  await expect(refusal('192.0.2.1')).rejects.toMatchObject({
    message: `--results here=192.0.2.1:${port}: the host is not an address of this machine`,
    exitCode: 3,
  })
})

test.each(['close', 'exit'] as const)('the folder of runners that push here is removed: %s', async (end) => {
  const plan = await plannedLoad({ results: { kind: 'here', host: '127.0.0.1', port: 0 } })
  const { cluster } = fakeCluster({ seen: [], dir: temporaryFolder() })
  const temporary = temporaryFolder()
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const before = process.listeners('exit')
  const results = await openResults(plan, { cluster, io: writtenIo().io, parts: manifestParts(plan) })
  // The name by which later commands find and remove it, if this process is killed.
  expect(readdirSync(temporary)).toEqual([
    expect.stringMatching(new RegExp(`^breakwater-results-[0-9a-f]{8}-${process.pid}-\\d+-\\w{6}$`)),
  ])
  const added = process.listeners('exit').filter((listener) => !before.includes(listener))
  expect(added).toHaveLength(1)
  if (end === 'exit') {
    added[0]?.(0)
    expect(readdirSync(temporary)).toEqual([])
  }
  await results.close()
  expect(readdirSync(temporary)).toEqual([])
  expect(process.listeners('exit')).toEqual(before)
})
