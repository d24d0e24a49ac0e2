import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startServer } from '../test/programs.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

export type TestPrometheus = {
  remoteWriteUrl: string
  query(promql: string): Promise<Map<string, number>>
}

/** Scrapes one host and accepts remote writes until the end of the test. */
export async function startPrometheus(binary: string, scraped: URL): Promise<TestPrometheus> {
  const folder = temporaryFolder()
  const config = join(folder, 'prometheus.yml')
  const job = {
    job_name: 'stub',
    metrics_path: scraped.pathname,
    static_configs: [{ targets: [scraped.host] }],
  }
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ global: { scrape_interval: '200ms' }, scrape_configs: [job] }))
  const server = await startServer({
    binary,
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
      '--web.enable-remote-write-receiver',
    ],
    folder,
    ready: /Server is ready to receive web requests/,
  })
  onTestFinished(() => server.close())
  const [, address] = /msg="?Listening on"? address=(127\.0\.0\.1:\d+)/.exec(server.printed) ?? []
  if (address === undefined) throw new Error(`Prometheus printed no address: ${server.printed}`)
  const base = `http://${address}`
  return {
    remoteWriteUrl: `${base}/api/v1/write`,
    async query(promql) {
      const response = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(promql)}`)
      const { data } = (await response.json()) as QueryResponse // as: its HTTP API, version 1
      return new Map(data.result.map(({ metric, value }) => [JSON.stringify(metric), Number(value[1])]))
    },
  }
}

type QueryResponse = { data: { result: { metric: Record<string, string>; value: [number, string] }[] } }
