import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
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
