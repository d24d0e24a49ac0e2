/**
 * A starter client: `npx tsx examples/clients/node/main.ts stub.json`. Signs in with the profile's first
 * wallet that has access, keeps a current quote through the first pool, and prints changes of its balance.
 */
import { dirname, resolve } from 'node:path'
import { createClient } from '../../../client/client.ts'
import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import { readJsonFile } from '../../../contract/json-file.ts'
import { profileSchema, walletsSchema } from '../../../contract/profile.ts'

type Pool = { key: string; token0: string; token1: string }

try {
  await run(process.argv[2] ?? 'stub.json')
} catch (error) {
  const message = error instanceof BreakwaterError ? `${error.message}\n  ${error.hint}` : String(error)
  console.error(`main.ts: ${message}`)
  process.exitCode = error instanceof BreakwaterError ? error.exitCode : 3
}

async function run(file: string) {
  const profile = await readJsonFile({ file, shown: file, schema: profileSchema, what: 'target profile' })
  const walletsFile = resolve(dirname(file), profile.credentials.wallets ?? '')
  const wallets = await readJsonFile({
    file: walletsFile,
    shown: walletsFile,
    schema: walletsSchema,
    what: 'list of wallets',
  })
  const wallet = wallets.find(({ hasAccess, admin }) => hasAccess && !admin)
  if (!wallet)
    throw new BreakwaterError(`${walletsFile}: no wallet has access`, { hint: 'Name one that has.' })

  const client = createClient({ profile, as: { wallet } })
  await client.signIn()
  const [pool] = (await client.exchange.list('/pools')) as Pool[] // as: plain pool records
  if (!pool) return console.log('there is no pool yet')
  await client.quotes.fetch({ tokenIn: pool.token0, tokenOut: pool.token1, amountIn: '1000' })

  const rooms = ['protocol_config', `balances:${wallet.address}`, `trades:${pool.key}`]
  const views = client.follow(rooms, {
    onRefetched: () => console.log(`following ${rooms.length} rooms; ${told()}`),
    onStop: (error) => console.error(`stopped: ${String(error)}`),
  })
  const told = () =>
    client.quotes
      .current()
      .map(
        ({ amountIn, amountOut, revision }) => `at revision ${revision} ${amountIn} are worth ${amountOut}`,
      )
      .join('; ')
  const report = setInterval(() => {
    const count = views.of(`trades:${pool.key}`)?.events.length ?? 0
    console.log(`${count} trades since; ${told()}`)
  }, 10_000)
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      clearInterval(report)
      void client.stop()
    })
  }
}
