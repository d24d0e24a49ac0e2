import { expect, test } from 'vitest'
import { permissionFor } from './permission.ts'

const HERE = { baseUrl: 'http://127.0.0.1:8080', wsUrl: 'ws://localhost:8081' }
const THERE = { baseUrl: 'https://exchange.example/api', wsUrl: 'wss://feed.example' }
const NOT_ALLOWED = {
  writes: 'exchange.example: the profile does not allow to change anything (allow.mutations)',
  load: 'exchange.example: the profile does not allow a load (allow.load)',
}
const NOT_CONFIRMED = {
  writes:
    'exchange.example: the command line does not confirm to change anything (--confirm exchange.example)',
  load: 'exchange.example: the command line does not confirm a load (--confirm exchange.example)',
}
const NOTHING = { writes: null, load: null }

test.each([
  { urls: HERE, load: false, mutations: false, confirm: undefined, refuses: NOTHING },
  { urls: HERE, load: false, mutations: false, confirm: '127.0.0.1', refuses: NOTHING },
  { urls: THERE, load: false, mutations: false, confirm: undefined, refuses: NOT_ALLOWED },
  { urls: THERE, load: false, mutations: false, confirm: 'exchange.example', refuses: NOT_ALLOWED },
  { urls: THERE, load: true, mutations: true, confirm: undefined, refuses: NOT_CONFIRMED },
  { urls: THERE, load: true, mutations: true, confirm: 'exchange.example', refuses: NOTHING },
  {
    urls: THERE,
    load: false,
    mutations: true,
    confirm: 'exchange.example',
    refuses: { writes: null, load: NOT_ALLOWED.load },
  },
  {
    urls: THERE,
    load: true,
    mutations: false,
    confirm: 'exchange.example',
    refuses: { writes: NOT_ALLOWED.writes, load: null },
  },
])(
  '$urls.baseUrl, load $load, mutations $mutations, --confirm $confirm',
  ({ urls, load, mutations, confirm, refuses }) => {
    expect(permissionFor({ ...urls, allow: { load, mutations } }, confirm)).toEqual(refuses)
  },
)

test('a feed elsewhere is elsewhere', () => {
  const profile = { ...HERE, wsUrl: THERE.wsUrl, allow: { load: true, mutations: false } }
  expect(permissionFor(profile, 'feed.example')).toEqual({
    writes: 'feed.example: the profile does not allow to change anything (allow.mutations)',
    load: null,
  })
})

test.each([
  { urls: THERE, confirm: 'exchange.example.org' },
  { urls: THERE, confirm: 'https://exchange.example' },
  { urls: HERE, confirm: 'exchange.example' },
])('--confirm $confirm is not the host of $urls.baseUrl', ({ urls, confirm }) => {
  expect(() => permissionFor({ ...urls, allow: { load: true, mutations: true } }, confirm)).toThrow(
    `--confirm ${confirm}: the target is `,
  )
})
