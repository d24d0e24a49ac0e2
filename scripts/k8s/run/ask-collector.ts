import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Cluster } from '../api/open-cluster.ts'
import { TOKEN_HEADER } from '../collect/token.ts'
import type { AskCollector } from '../gather/question-collector.ts'
import { COLLECTOR_PORT } from '../manifests/in-pods.ts'
import { resultsName } from '../manifests/metadata.ts'

/** The collector in the results pod of a run, through the API server. */
export function collectorInPod(
  cluster: Cluster,
  { name, token }: { name: string; token: string },
): AskCollector {
  return (sent) =>
    cluster.askPod(resultsName(name), COLLECTOR_PORT, {
      ...sent,
      method: 'GET',
      headers: { ...sent.headers, [TOKEN_HEADER]: token },
    })
}

/** The collector at an address of this machine. */
export function collectorAt({ url, token }: { url: string; token: string }): AskCollector {
  return async ({ path, headers, signal }) => {
    const sent = request(`${url}${path}`, {
      headers: { ...headers, [TOKEN_HEADER]: token },
      agent: false,
      ...(signal && { signal }),
    }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage] // as: what the event bears
    sent.on('error', (error) => response.destroy(error))
    return { status: response.statusCode ?? 0, headers: response.headers, body: response }
  }
}
