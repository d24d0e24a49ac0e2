import { expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { sloSchema } from '../../contract/slo.ts'
import { announce } from '../smoke/announce.ts'
import { announceLoad } from './announce-load.ts'

const NAME = 'x\u202e\u001b[31m'
const SHOWN = 'x\\u202e\\u001b[31m'
const TARGET = {
  profile: profileSchema.parse({ name: NAME, baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }),
  wallets: [],
  apiTokens: [],
  controlToken: null,
}
const MIX = { name: NAME, description: '', durationSeconds: 60, start: 'steady' as const, clients: [] }

test('names of a stranger do nothing to a terminal, where a load is announced', () => {
  const slo = sloSchema.parse({ name: NAME, objectives: [{ droppedRateMax: 0.1 }] })
  const plan = { job: 'load', target: TARGET, mix: MIX, slo, requestsMax: null, durationSecondsMax: 9 }
  expect(announceLoad(plan, '5 a second').slice(0, 2)).toEqual([
    `load of ${SHOWN}: http://127.0.0.1:1`,
    `  5 a second; mix ${SHOWN}, objectives ${SHOWN}`,
  ])
})

test('nor where probes are', () => {
  const plan = {
    target: TARGET,
    requestsMax: 9,
    durationSecondsMax: 9,
    refuses: { writes: null, load: null },
  }
  const lines = announce({ ...plan, mix: MIX })
  expect(lines[0]).toBe(`target ${SHOWN}: http://127.0.0.1:1`)
  expect(lines.join('')).toContain(`the mix ${SHOWN}, 60 s`)
})
