/**
 * A client to start from: it reads what is traded, and waits where it is told to. What it should not do is one line away:
 * without the wait, the observer names the rule, and the run ends with exit code 1.
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
