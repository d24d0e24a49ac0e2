import { expect, test } from 'vitest'
import { parseJsonFile } from './json-file.ts'
import { mixSchema } from './mix.ts'

const CLIENT = {
  name: 'traders',
  description: 'd',
  credential: 'session',
  arrivalRate: 1,
  sessionDuration: { distribution: 'constant', seconds: 5 },
  thinkTime: { distribution: 'exponential', meanSeconds: 1 },
  steps: [{ weight: 1, requests: ['route', '/aggregator/tickers'] }],
}
const mixWith = (client: object, more: object = {}) => ({
  name: 'm',
  description: 'd',
  durationSeconds: 60,
  clients: [{ ...CLIENT, ...client }],
  ...more,
})

function parse(mix: unknown) {
  return parseJsonFile({ file: 'mix.json', text: JSON.stringify(mix), schema: mixSchema, what: 'mix' })
}

test('what is left out has a default', () => {
  const { start, clients } = parse(mixWith({ feed: { rooms: { pool_stats: 2 } } }))
  expect(start).toBe('empty')
  expect(clients[0]).toMatchObject({
    poolSkew: 1,
    refreshAfterSeconds: 720,
    feed: { renewAfterSeconds: 45, rooms: { pool_stats: 2, ohlcv: 0, balances: 0 } },
  })
})

const sessionDuration = (value: object) => ({ sessionDuration: value })

test.each([
  { mix: {}, says: ['name: missing; expected a string', 'clients: missing; expected a list'] },
  {
    mix: mixWith({}, { durationSecond: 3 }),
    says: ['durationSecond: unknown key; expected name, description, durationSeconds, start or clients'],
  },
  {
    mix: mixWith({ arrivalRate: 0, thinks: 1 }),
    says: ['clients[0].arrivalRate: ', 'clients[0].thinks: unknown key; did you mean thinkTime, '],
  },
  {
    mix: mixWith(sessionDuration({ distribution: 'weibull' })),
    says: [
      'clients[0].sessionDuration.distribution: unknown name "weibull"; expected constant, uniform, exponential or log-normal',
    ],
  },
  {
    mix: mixWith(sessionDuration({ distribution: 'uniform', minSeconds: 3, maxSeconds: 2 })),
    says: ['clients[0].sessionDuration: expected minSeconds to be at most maxSeconds'],
  },
  {
    mix: mixWith({ steps: [{ weight: 1, requests: ['rout'] }] }),
    says: ['clients[0].steps[0].requests[0]: unknown request "rout"; did you mean route, '],
  },
  {
    mix: mixWith({ feed: { rooms: { pool_stats: 20, trades: 13 } } }),
    says: ['clients[0].feed.rooms: expected at most 32 rooms together'],
  },
  {
    mix: mixWith({ feed: { rooms: {}, renewAfterSeconds: 60 } }),
    says: ['clients[0].feed.renewAfterSeconds: '],
  },
  {
    mix: mixWith({ credential: 'none', feed: { rooms: {} } }),
    says: ['clients[0].feed: a socket requires a ticket', 'clients[0].steps: route require a credential'],
  },
  {
    mix: mixWith({ credential: 'api-token', feed: { rooms: { balances: 1 } } }),
    says: ['clients[0].feed.rooms.balances: the wallet of an API token is unknown'],
  },
  { mix: mixWith({ refreshAfterSeconds: 900 }), says: ['clients[0].refreshAfterSeconds: '] },
  {
    mix: { ...mixWith({}), clients: [CLIENT, CLIENT] },
    says: ['clients: expected clients to have different names'],
  },
  { mix: mixWith({ name: 'Traders!' }), says: ['clients[0].name: expected small letters'] },
])('a bad mix is refused with every problem and its path: $says', ({ mix, says }) => {
  for (const problem of says) expect(() => parse(mix)).toThrow(`\n  ${problem}`)
})
