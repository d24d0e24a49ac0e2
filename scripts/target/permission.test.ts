import { expect, test } from 'vitest'
import { hostsConfirmed, hostsElsewhere, mustBeHosts, permissionFor } from './permission.ts'

type Addresses = Parameters<typeof hostsElsewhere>[0]

const NOWHERE = { metrics: null, credentials: { signer: null } }
const HERE: Addresses = { ...NOWHERE, baseUrl: 'http://127.0.0.1:8080', wsUrl: 'ws://localhost:8081' }
const THERE: Addresses = {
  ...NOWHERE,
  baseUrl: 'https://exchange.example/api',
  wsUrl: 'wss://exchange.example/feed',
}
const CONFIRMED = ['exchange.example']
const NOT_ALLOWED = {
  writes: 'exchange.example: the profile does not allow to change anything (allow.mutations)',
  load: 'exchange.example: the profile does not allow a load (allow.load)',
}
const NOT_CONFIRMED = buildRefusal('exchange.example', '--confirm exchange.example')
const NOTHING = { writes: null, load: null }

function buildRefusal(hosts: string, flags: string) {
  return {
    writes: `${hosts}: the command line does not confirm to change anything (${flags})`,
    load: `${hosts}: the command line does not confirm a load (${flags})`,
  }
}

test.each([
  { urls: HERE, load: false, mutations: false, confirm: undefined, refuses: NOTHING },
  { urls: HERE, load: false, mutations: false, confirm: ['127.0.0.1'], refuses: NOTHING },
  { urls: THERE, load: false, mutations: false, confirm: undefined, refuses: NOT_ALLOWED },
  { urls: THERE, load: false, mutations: false, confirm: CONFIRMED, refuses: NOT_ALLOWED },
  { urls: THERE, load: true, mutations: true, confirm: undefined, refuses: NOT_CONFIRMED },
  { urls: THERE, load: true, mutations: true, confirm: CONFIRMED, refuses: NOTHING },
  {
    urls: THERE,
    load: false,
    mutations: true,
    confirm: CONFIRMED,
    refuses: { writes: null, load: NOT_ALLOWED.load },
  },
  {
    urls: THERE,
    load: true,
    mutations: false,
    confirm: CONFIRMED,
    refuses: { writes: NOT_ALLOWED.writes, load: null },
  },
])(
  '$urls.baseUrl, load $load, mutations $mutations, --confirm $confirm',
  ({ urls, load, mutations, confirm, refuses }) => {
    expect(permissionFor({ ...urls, allow: { load, mutations } }, confirm)).toEqual(refuses)
  },
)

const OF_FEED = buildRefusal('feed.example', '--confirm feed.example')
const ALL = {
  baseUrl: 'https://exchange.example',
  wsUrl: 'wss://feed.example',
  metrics: 'https://metrics.example/metrics',
  credentials: { signer: 'https://signer.example' },
}

test.each<{ what: string; urls: Partial<Addresses>; confirm: string[]; refuses: object }>([
  { what: 'a WebSocket', urls: { wsUrl: 'wss://feed.example' }, confirm: CONFIRMED, refuses: OF_FEED },
  {
    what: 'REST next to a confirmed WebSocket',
    urls: { wsUrl: 'wss://feed.example' },
    confirm: ['feed.example'],
    refuses: NOT_CONFIRMED,
  },
  {
    what: 'a WebSocket next to local REST',
    urls: { ...HERE, wsUrl: 'wss://feed.example' },
    confirm: [],
    refuses: OF_FEED,
  },
  {
    what: 'metrics, which a load reads',
    urls: { metrics: 'https://metrics.example' },
    confirm: CONFIRMED,
    refuses: { writes: null, load: buildRefusal('metrics.example', '--confirm metrics.example').load },
  },
  {
    what: 'a signer, which changes need',
    urls: { credentials: { signer: 'https://signer.example' } },
    confirm: CONFIRMED,
    refuses: { writes: buildRefusal('signer.example', '--confirm signer.example').writes, load: null },
  },
  {
    what: 'several',
    urls: ALL,
    confirm: ['feed.example'],
    refuses: {
      writes: buildRefusal(
        'exchange.example and signer.example',
        '--confirm exchange.example --confirm signer.example',
      ).writes,
      load: buildRefusal(
        'exchange.example and metrics.example',
        '--confirm exchange.example --confirm metrics.example',
      ).load,
    },
  },
  { what: 'none', urls: ALL, confirm: hostsElsewhere(ALL), refuses: NOTHING },
])('not confirmed: $what', ({ urls, confirm, refuses }) => {
  const profile = { ...THERE, ...urls, allow: { load: true, mutations: true } }
  expect(permissionFor(profile, confirm)).toEqual(refuses)
})

test('a remote WebSocket makes the target remote', () => {
  const profile = { ...HERE, wsUrl: 'wss://feed.example', allow: { load: true, mutations: false } }
  expect(permissionFor(profile, ['feed.example'])).toEqual({
    writes: 'feed.example: the profile does not allow to change anything (allow.mutations)',
    load: null,
  })
})

test.each([
  { urls: THERE, confirm: ['exchange.example.org'] },
  { urls: THERE, confirm: ['https://exchange.example'] },
  { urls: HERE, confirm: ['exchange.example'] },
])('--confirm $confirm is not the host of $urls.baseUrl', ({ urls, confirm }) => {
  const allow = { load: true, mutations: true }
  expect(() => permissionFor({ ...urls, allow }, confirm)).toThrow(`--confirm ${confirm}: the target is `)
})

test('each of two targets is confirmed by its own hosts', () => {
  expect(() => mustBeHosts(['exchange.example', 'feed.example'], [THERE, ALL])).not.toThrow()
  expect(() => mustBeHosts(['other.example'], [THERE, HERE])).toThrow(
    '--confirm other.example: the target is exchange.example, 127.0.0.1, localhost',
  )
  expect(hostsConfirmed(['exchange.example', 'feed.example'], THERE)).toEqual(CONFIRMED)
})
