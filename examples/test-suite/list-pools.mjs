/** The client under test: lists all pools, page by page. `pause` waits, so that a test can move the clock of the stub instead. */
export async function listPools({ baseUrl, pause, pageRows = 20 }) {
  const pools = []
  for (;;) {
    const response = await fetch(`${baseUrl}/pools?limit=${pageRows}&offset=${pools.length}`)
    if (response.status === 429) {
      await pause(Number(response.headers.get('retry-after') ?? 1) * 1000)
      continue
    }
    if (!response.ok) throw new Error(`GET /pools returned ${response.status}`)
    const { data, pagination } = await response.json()
    pools.push(...data)
    if (data.length === 0 || pools.length >= pagination.total) return pools
  }
}
