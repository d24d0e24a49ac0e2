import { expect, test } from 'vitest'
import { createRandom } from '../simulator/random.ts'
import { drawAsk, drawStrangers } from './generate-strangers.ts'
import { ENDPOINT_NAMES, listRejected } from './model/strangers.ts'
import { commandSchema } from './sequence.ts'

const random = createRandom(1).stream('test')

test('draws each endpoint with each credential that it must reject, and nothing else', () => {
  const drawn = new Set<string>()
  for (let time = 0; time < 5000; time++) {
    const ask = drawAsk(random, { session: 's1', token: 't1' })
    expect(commandSchema.parse(ask)).toEqual(ask)
    if (ask?.do === 'ask') drawn.add(`${ask.for} ${ask.with}`)
  }
  const all = ENDPOINT_NAMES.flatMap((endpoint) =>
    listRejected(endpoint).map(([stranger]) => `${endpoint} ${stranger}`),
  )
  expect([...drawn].sort()).toEqual(all.sort())
})

test('draws only commands whose credentials exist', () => {
  for (let time = 0; time < 200; time++) {
    const commands = drawStrangers(random, { sessions: [], tokens: [{ label: 't1' }] })
    expect(commands.map((command) => ('by' in command ? command.by : 't1')).every((by) => by === 't1')).toBe(
      true,
    )
    expect(commands.at(-1)?.do).toBe('forge')
  }
})
