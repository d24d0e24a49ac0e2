/**
 * A starter client: reads pools, and waits as long as the exchange says. Remove the wait, and the observer
 * reports the violated rule and exits with 1.
 */
const url = process.env.EXCHANGE_URL ?? 'http://127.0.0.1:8080'
const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

for (;;) {
  const answer = await fetch(`${url}/explore/pools?limit=5`).catch(() => undefined)
  if (answer?.ok) {
    const { data } = await answer.json()
    console.log(data.map((pool) => `${pool.token0Symbol}/${pool.token1Symbol} ${pool.price}`).join('   '))
  }
  await wait(Number(answer?.headers.get('retry-after') ?? 1))
}
