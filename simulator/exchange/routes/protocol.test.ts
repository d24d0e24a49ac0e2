import { expect, it } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { createTestWorld } from '../test-world.ts'

it('serves the state with its revision', async () => {
  const bed = await createTestBed()
  expect((await bed.call('/protocol/state')).json()).toEqual({
    data: {
      revision: bed.views.protocolState().revision,
      observed_block: 60,
      paused: false,
      pool_creation: 'open',
      allowlist_enabled: false,
      fee_tiers: [
        { fee_tier: 500, tick_spacing: 10 },
        { fee_tier: 3000, tick_spacing: 60 },
        { fee_tier: 10000, tick_spacing: 200 },
      ],
    },
  })
})

it('answers 503 with Retry-After until the minimum revision is indexed', async () => {
  const world = createTestWorld()
  const bed = await createTestBed({ world })
  world.holdIndexer()
  world.changeConfig({ scope: 'pause', key: 'all' })
  world.mine()
  const revision = world.chainRevision()
  const get = () => bed.call(`/protocol/state?minimum_revision=${revision}`)
  const pending = await get()
  expect([pending.statusCode, pending.json().code, pending.headers['retry-after']]).toEqual([
    503,
    'protocol_revision_pending',
    '1',
  ])
  world.releaseIndexer()
  expect((await get()).json().data.revision).toBe(revision)
})

it.each(['0', '1'])('serves a minimum revision of %s that has been reached', async (minimum) => {
  const bed = await createTestBed()
  expect((await bed.call(`/protocol/state?minimum_revision=${minimum}`)).statusCode).toBe(200)
})

it.each([
  '',
  '-1',
  '+1',
  '01',
  '1.0',
  '1e1',
  '%201',
  '0x1',
  '%D9%A1',
  '9007199254740992',
  '1&minimum_revision=2',
])('answers 400 to the minimum revision "%s"', async (minimum) => {
  const bed = await createTestBed()
  expect((await bed.call(`/protocol/state?minimum_revision=${minimum}`)).statusCode).toBe(400)
})

it('serves the compliance state', async () => {
  const bed = await createTestBed()
  expect((await bed.call('/compliance')).json()).toEqual({
    data: {
      revision: bed.views.protocolState().revision,
      paused: false,
      pool_creation: 'open',
      allowlist_enabled: false,
    },
  })
})

it('mutant protocol-pending-without-code: the 503 has no code', async () => {
  const bed = await createTestBed({ mutant: 'protocol-pending-without-code' })
  const response = await bed.call('/protocol/state?minimum_revision=9999')
  expect(response.statusCode).toBe(503)
  expect(response.json()).toEqual({ error: expect.any(String), ref: expect.any(String) })
})
