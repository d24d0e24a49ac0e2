// A real results pod, through the API server, as `breakwater k8s run` has it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type GivenCluster, givenCluster } from '../../../tools/test/cluster/given-cluster.ts'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import type { ApiResponse } from '../api/open-proxy.ts'
import { buildResultsPod, buildSecret } from '../manifests/build-manifests.ts'
import { COLLECTOR_PORT } from '../manifests/manifest-parts.ts'
import { manifestParts, plannedLoad } from '../test-cluster-plan.ts'
import { TOKEN_HEADER } from './create-collector.ts'
import { gatherFiles } from './gather-files.ts'

const POD = 'evening-results'
const RUNNERS = 5
const LINE = `${JSON.stringify({ time: 1767225600, metric: 'http_reqs', type: 'counter', count: 1 })}\n`
const sizeSchema = z.object({ size: z.int() })
const podSchema = z.object({
  status: z.object({ containerStatuses: z.array(z.object({ restartCount: z.int(), ready: z.boolean() })) }),
})

test('collects all data of runners to the last byte, although the collector is killed and restarted', async () => {
  const cluster = await givenCluster()
  const { send, restarts } = await startResults(cluster)
  const folder = temporaryFolder()
  const names = Array.from({ length: RUNNERS }, (_, index) => `series-evening-${index + 1}.ndjson`)
  const gathering = gatherFiles({
    request: (sent) => send({ ...sent, method: 'GET' }),
    files: names.map((name) => ({ name, file: join(folder, name) })),
  })
  /** Like a runner: sends rejected data again, from the offset that the collector returns. */
  const push = async (name: string, stream: string) => {
    for (let offset = 0; offset < stream.length; ) {
      const body = stream.slice(offset, offset + 100_000)
      const path = `/files/${name}?offset=${offset}`
      const size = await send({ method: 'POST', path, body })
        .then(sizeIn)
        .catch(() => null)
      if (size !== null) offset = size
    }
  }
  const streams = names.map((name, index) => `${name}\n${LINE.repeat(10_000 + index)}`)
  const pushed = Promise.all(names.map((name, index) => push(name, streams[index] ?? '')))
  cluster.kubectl(['exec', POD, '--', 'sh', '-c', 'kill -INT 1'])
  await pushed
  cluster.kubectl(['wait', '--for=jsonpath={.status.containerStatuses[0].restartCount}=1', `pod/${POD}`])
  cluster.kubectl(['wait', '--for=condition=Ready', `pod/${POD}`, '--timeout=60s'])
  expect(await restarts()).toBe(1)
  await Promise.all(names.map((name, index) => push(name, `${streams[index]}end\n`)))
  await gathering.finish()
  expect(gathering.problem()).toBeNull()
  for (const [index, name] of names.entries())
    expect(readFileSync(join(folder, name), 'utf8')).toBe(`${streams[index]}end\n`)
})

async function sizeIn({ status, body }: ApiResponse): Promise<number | null> {
  const said = await text(body)
  return status === 200 || status === 409 ? sizeSchema.parse(JSON.parse(said)).size : null
}

async function startResults({ api, image, namespace, kubectl }: GivenCluster) {
  const plan = await plannedLoad({ image, namespace })
  const parts = { ...manifestParts(plan), namespace }
  for (const object of [buildSecret(plan, parts), buildResultsPod(plan, parts)]) await api.apply(object)
  kubectl(['wait', '--for=condition=Ready', `pod/${POD}`, '--timeout=120s'])
  const send = (sent: Parameters<typeof api.requestPod>[2]) =>
    api.requestPod(POD, COLLECTOR_PORT, {
      ...sent,
      headers: { ...sent.headers, [TOKEN_HEADER]: parts.token },
    })
  const restarts = async () =>
    podSchema.parse(await api.get('Pod', POD)).status.containerStatuses[0]?.restartCount
  return { send, restarts }
}
