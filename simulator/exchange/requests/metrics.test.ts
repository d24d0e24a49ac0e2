import { expect, test } from 'vitest'
import { createTestBed, type TestBed } from '../test-bed.ts'
import { createTestWorld } from '../test-world.ts'

async function scrape(bed: TestBed): Promise<string[]> {
  const response = await bed.call('/metrics')
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  return response.body.split('\n')
}

async function scrapeValues(bed: TestBed): Promise<Map<string, number>> {
  const samples = (await scrape(bed)).filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

const requestsMetric = (labels: string) => `breakwater_http_requests_total{${labels}}`

test('counts requests and their durations by method, route and class of status', async () => {
  const bed = await createTestBed()
  await bed.call('/pools?limit=1')
  await bed.call('/pools?limit=2')
  await bed.call('/pools/one')
  await bed.call('/pools/another')
  await bed.call('/pools?limit=0')
  await bed.call('/auth/challenge', { method: 'POST', body: { address: 'a' } })
  await bed.call('/pools/%')
  const values = await scrapeValues(bed)
  const counts = [
    'method="GET",route="/pools",status="2xx"',
    'method="GET",route="/pools",status="4xx"',
    'method="GET",route="/pools/:key",status="4xx"',
    'method="POST",route="/auth/challenge",status="2xx"',
    'method="GET",route="none",status="4xx"',
  ].map((labels) => [
    values.get(requestsMetric(labels)),
    values.get(`breakwater_http_request_duration_seconds_count{${labels}}`),
  ])
  expect(counts).toEqual([
    [2, 2],
    [1, 1],
    [2, 2],
    [1, 1],
    [1, 1],
  ])
})

test('for any client input, labels take few values, and no secret is among them', async () => {
  const bed = await createTestBed()
  const me = await bed.signIn()
  const secrets = [me.csrfToken, ...Object.values(me.cookies)]
  const send = async () => {
    for (const secret of secrets) {
      await bed.call(`/${secret}`)
      await bed.call(`/pools/${secret}`)
      await bed.call(`/pools?limit=${secret}`)
      await bed.call('/swaps', { headers: { authorization: `Bearer ${secret}` } })
    }
    for (const method of ['PROPFIND', 'SEARCH', 'LOCK'] as const) {
      await bed.app.inject({ url: '/pools', method: method as 'GET' }) // as: any method may come
    }
  }
  await send()
  const first = await scrape(bed)
  for (let round = 0; round < 3; round++) await send()
  // The first scrape itself is counted by the second one.
  expect(withoutScrapes(await scrape(bed))).toEqual(withoutScrapes(first))
  for (const secret of secrets) expect(first.join('\n')).not.toContain(secret)
})

function withoutScrapes(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.includes('"/metrics"')).map((line) => line.replace(/ [^ ]*$/, ''))
}

test('reports the state of feed, chain and index', async () => {
  const world = createTestWorld()
  const feed = {
    sockets: () => [{ rooms: 3 }, { rooms: 4 }],
    events: () => ({ sent: 70, dropped: 5 }),
  }
  const bed = await createTestBed({ world, feed })
  await bed.signIn()
  bed.bearer()
  world.holdIndexer()
  world.mine(2)
  world.node.submit({ kind: 'claimFaucet', sender: 'bw1a', recipient: 'bw1a' })
  const values = await scrapeValues(bed)
  const figures = {
    breakwater_feed_sockets: 2,
    breakwater_feed_rooms: 7,
    breakwater_feed_events_sent_total: 70,
    breakwater_feed_events_dropped_total: 5,
    breakwater_chain_height: world.views.head().height + 2,
    breakwater_index_lag_blocks: 2,
    breakwater_mempool_transactions: 1,
    breakwater_sessions: 1,
    breakwater_api_tokens: 1,
  }
  for (const [name, value] of Object.entries(figures)) expect([name, values.get(name)]).toEqual([name, value])
  // Totals do not accumulate across scrapes.
  expect((await scrapeValues(bed)).get('breakwater_feed_events_sent_total')).toBe(70)
})

test('reports its resident memory', async () => {
  const bytes = (await scrapeValues(await createTestBed())).get('process_resident_memory_bytes')
  expect(bytes).toBeGreaterThan(10_000_000)
  expect(bytes).toBeLessThanOrEqual(process.resourceUsage().maxRSS * 1024)
})

test('reports its processor time, and no queue without a service rate', async () => {
  const bed = await createTestBed()
  const before = process.cpuUsage()
  const values = await scrapeValues(bed)
  const after = process.cpuUsage()
  const seconds = values.get('process_cpu_seconds_total')
  expect(seconds).toBeGreaterThanOrEqual((before.user + before.system) / 1e6)
  expect(seconds).toBeLessThanOrEqual((after.user + after.system) / 1e6)
  expect([...values.keys()].filter((name) => name.includes('queue'))).toEqual([])
})

test('reports the event loop delay', async () => {
  const bed = await createTestBed()
  const values = await scrapeValues(bed)
  for (const quantile of ['0.5', '0.99', '1']) {
    expect(values.get(`breakwater_event_loop_delay_seconds{quantile="${quantile}"}`)).toBeGreaterThanOrEqual(
      0,
    )
  }
  await bed.app.close()
})

test('two exchanges in one process share nothing', async () => {
  const [one, two] = [await createTestBed(), await createTestBed()]
  await one.call('/pools')
  const labels = requestsMetric('method="GET",route="/pools",status="2xx"')
  expect([(await scrapeValues(one)).get(labels), (await scrapeValues(two)).get(labels)]).toEqual([
    1,
    undefined,
  ])
})
