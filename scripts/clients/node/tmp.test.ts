import { test } from 'vitest'
import { RIGHT_CONDUCT } from './conduct.ts'
import { SCENES, type Scene } from './scenes.ts'
import { testBed } from './test-bed.ts'
import { WRONG_CLIENTS } from './wrong-clients.ts'

const all = {
  right: { scene: 'day', piece: {} },
  'right-odd': { scene: 'odd', piece: {} },
  ...WRONG_CLIENTS,
} as any
test.each(Object.keys(all))('%s', async (name) => {
  const { scene = 'day', piece } = all[name]
  const { stub, play } = SCENES[scene as 'day'] as Scene
  const bed = await testBed(stub)
  const [, wallet, other] = bed.stub.wallets
  const stranger = bed.client({ as: { wallet: other! } })
  const replaced = typeof piece === 'function' ? piece({ apiToken: bed.stub.apiTokens[0]!, stranger }) : piece
  await play({ bed, conduct: { ...RIGHT_CONDUCT, ...replaced }, wallet: wallet! })
  const tally: Record<string, number> = {}
  for (const line of await bed.asked()) tally[line] = (tally[line] ?? 0) + 1
  console.log(name, JSON.stringify(tally))
})
