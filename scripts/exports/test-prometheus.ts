/** For tests: a real Prometheus of their own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../test/temporary-folder.ts'

export type TestPrometheus = {
  /** Where k6 sends what it measures. */
  remoteWriteUrl: string
  /** The values of an instant query, by their labels. */
  query(promql: string): Promise<Map<string, number>>
}

const START_MS = 30_000

/** Scrapes the metrics of one host, and takes remote writes, until the test has ended. */
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
  const base = `http://127.0.0.1:${await freePort()}`
  const child = spawn(
    binary,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${new URL(base).host}`,
      '--web.enable-remote-write-receiver',
      '--log.level=warn',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL') // what it stored goes with the folder
    await ended
  })
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`Prometheus ended: ${said}`)
      const { status } = await fetch(`${base}/-/ready`)
      if (status !== 200) throw new Error(`Prometheus is not ready: ${status}`)
    },
    { timeout: START_MS },
  )
  return {
    remoteWriteUrl: `${base}/api/v1/write`,
    async query(promql) {
      const response = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(promql)}`)
      const { data } = (await response.json()) as Answer // as: its HTTP API, version 1
      return new Map(data.result.map(({ metric, value }) => [JSON.stringify(metric), Number(value[1])]))
    },
  }
}

type Answer = { data: { result: { metric: Record<string, string>; value: [number, string] }[] } }

/** Prometheus does not say which port it took, where it may choose. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
