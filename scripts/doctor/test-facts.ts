import { profileSchema } from '../../contract/profile.ts'
import type { TargetResponse } from '../target/request-target.ts'
import type { MachineFacts, TargetFacts } from './look.ts'

const GIB = 2 ** 30
const NOW_MS = Date.parse('2026-11-22T05:00:00.000Z')

export const GOOD_MACHINE: MachineFacts = {
  platform: 'linux',
  node: { version: 'v22.3.0', needed: '>=20.19' },
  k6: { path: '/cache/k6', isGiven: false, isExecutable: true, version: 'k6 v2.2.0 (go1.26.8, linux/amd64)' },
  go: { version: '1.26.8', hasPip: true },
  ports: [8080, 8081, 8082].map((port) => ({ port, failure: null })),
  ephemeralPorts: 28_232,
  openFilesMax: 20_000,
  clock: { wallMs: 500, steadyMs: 501, now: new Date(NOW_MS) },
  cores: 4,
  memoryBytes: 8 * GIB,
  folders: {
    cache: { path: '/cache', failure: null, freeBytes: 50 * GIB },
    runs: { path: '/mine/runs', failure: null, freeBytes: 50 * GIB },
    temporary: { path: '/tmp', failure: null, freeBytes: 50 * GIB },
  },
}

const ANSWER: TargetResponse = {
  status: 200,
  contentType: 'application/json',
  location: null,
  dateMs: NOW_MS,
  sentMs: NOW_MS + 200,
  respondedMs: NOW_MS + 212,
  tls: { protocol: 'TLSv1.3', validUntilMs: NOW_MS + 60 * 86_400_000 },
}

export const GOOD_TARGET: TargetFacts = {
  profile: profileSchema.parse({
    name: 'staging',
    baseUrl: 'https://exchange.example/api',
    wsUrl: 'wss://feed.exchange.example',
  }),
  ca: null,
  wallets: { value: { count: 20, withKey: 20, canCreateTokens: true } },
  signIn: null,
  apiTokens: 2,
  control: null,
  rest: { value: ANSWER },
  feed: { value: { ...ANSWER, status: 101 } },
  serves: { value: null },
  metrics: null,
}

export function responded(change: Partial<TargetResponse>): TargetFacts['rest'] {
  return { value: { ...ANSWER, ...change } }
}
