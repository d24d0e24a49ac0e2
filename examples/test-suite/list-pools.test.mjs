/** A test suite for a client of the exchange: `node --test`. Each test has a stub of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from 'breakwater/client'
import { startStub } from 'breakwater/stub'
import { listPools } from './list-pools.mjs'

/** A stub whose clock only a test moves, closed after the test. */
async function givenStub(t, options) {
  const stub = await startStub({ seed: 7, clock: 'manual', ...options })
  t.after(() => stub.close())
  return stub
}

/** The first request meets a 429, and all others in the five seconds after it. */
const RATE_LIMITED = {
  faults: [{ fault: 'http-429', limit: { mode: 'burst', lastsMs: 5000 }, when: { times: 1 } }],
}

test('lists every pool once', async (t) => {
  const { baseUrl, advance, findings } = await givenStub(t)
  const { pagination } = await (await fetch(`${baseUrl}/pools?limit=1`)).json()
  const pools = await listPools({ baseUrl, pause: advance })
  assert.equal(new Set(pools.map(({ key }) => key)).size, pagination.total)
  assert.deepEqual(await findings(), [])
})

test('waits as long as a 429 requires', async (t) => {
  const { baseUrl, advance, findings, duties } = await givenStub(t, { faults: RATE_LIMITED })
  assert.ok((await listPools({ baseUrl, pause: advance })).length > 0)
  assert.deepEqual(await findings(), [])
  // No finding means nothing unless the rule was at stake.
  assert.ok((await duties())['client.429.waits'].handled > 0)
})

test('the observer reports a client that does not wait', async (t) => {
  const { baseUrl, advance, findings } = await givenStub(t, { faults: RATE_LIMITED })
  await listPools({ baseUrl, pause: () => advance(200) })
  const [finding] = await findings()
  assert.equal(finding.rule, 'client.429.waits')
})

test('a client of breakwater/client reloads its rooms after a deployment', async (t) => {
  // This one waits by the clock of the machine.
  const stub = await givenStub(t, { clock: 'real' })
  const client = createClient({ profile: stub.profile, as: { apiToken: stub.apiTokens[0] } })
  t.after(client.stop)
  const [pool] = await client.exchange.list('/pools')
  await new Promise((done) => {
    let reloads = 0
    const onRefetched = () => (++reloads === 1 ? stub.control('POST /gateway/restart', {}) : done())
    client.follow([`trades:${pool.key}`], { onRefetched })
  })
  assert.deepEqual(await stub.findings(), [])
})
