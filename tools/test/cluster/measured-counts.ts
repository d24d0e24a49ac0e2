import { readSeries } from '../../../reports/series/read-series.ts'

/** What a run’s series has of each route, `GET /pools/{key}`; `/health` is left out, which probes ask for too. */
export async function measuredCounts(
  file: string,
): Promise<{ complete: boolean; counts: Record<string, number> }> {
  const { series, complete } = await readSeries(file)
  const counts = [...series.routes.values()].map(({ name, latency }) => [name, latency.count] as const)
  return { complete, counts: Object.fromEntries(counts.filter(([name]) => name !== 'GET /health')) }
}
