import { expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'
import { faultPlanSchema } from '../fault-plan.ts'

const fault = 'ws-unknown-control'

test('sends an unknown control, to unauthenticated sockets too', async () => {
  const bed = await createTestBed()
  const [client, stranger] = [await bed.signIn(), await bed.connect()]
  bed.inject({ fault })
  for (const one of [client, stranger]) {
    expect(await one.settle()).toEqual([{ control: 'maintenance_announced' }])
  }
  expect(bed.decisions()).toEqual(['socket 1!', 'socket 2!'])
})

test('with its own fields, at each interval', async () => {
  const bed = await createTestBed()
  const client = await bed.signIn()
  bed.inject({ fault, control: 'v2', fields: { inSeconds: 60, control: 'synchronized' }, everyMs: 1000 })
  bed.clock.advance(2500)
  expect(await client.settle()).toEqual([1, 2, 3].map(() => ({ inSeconds: 60, control: 'v2' })))
})

test.each(['synchronized', 'resync_required'])('rejects %s, which has a meaning', (control) => {
  const plan = { description: 'of a test', faults: [{ fault, control }] }
  expect(faultPlanSchema.safeParse(plan).error?.issues).toMatchObject([
    {
      path: ['faults', 0, 'control'],
      message: 'expected a control other than synchronized and resync_required',
    },
  ])
})
