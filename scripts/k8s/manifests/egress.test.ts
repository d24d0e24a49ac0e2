import { expect, test } from 'vitest'
import type { ClusterLoadPlan } from '../plan-cluster-load.ts'
import { plannedLoad } from '../test-cluster-plan.ts'
import { runnerEgress } from './build-manifests.ts'

const plan = await plannedLoad()
const ANYWHERE = [
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
  { ipBlock: { cidr: '::/0', except: ['fe80::/10'] } },
]
const DNS = {
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
}
const PODS = { to: [{ namespaceSelector: {} }] }
const tcp = (port: number) => [{ protocol: 'TCP', port }]

function egressTo(addresses: { baseUrl: string; wsUrl: string; signer?: string }, more: object = {}) {
  const { signer = null, ...urls } = addresses
  const { profile } = plan.target
  const credentials = { ...profile.credentials, signer }
  const target = { ...plan.target, profile: { ...profile, ...urls, credentials } }
  const full: ClusterLoadPlan = { ...plan, target, ...more }
  return runnerEgress(full)
}

test('by name: any address, but only its ports', () => {
  expect(egressTo({ baseUrl: 'https://x.example/api', wsUrl: 'wss://x.example:8443' })).toEqual([
    DNS,
    PODS,
    { to: ANYWHERE, ports: tcp(443) },
    { to: ANYWHERE, ports: tcp(8443) },
  ])
})

test('by address: only that, without duplicates', () => {
  expect(
    egressTo({ baseUrl: 'http://10.0.0.5', wsUrl: 'ws://10.0.0.5:80', signer: 'http://[fd00::5]:9000/sign' }),
  ).toEqual([
    DNS,
    PODS,
    { to: [{ ipBlock: { cidr: '10.0.0.5/32' } }], ports: tcp(80) },
    { to: [{ ipBlock: { cidr: 'fd00::5/128' } }], ports: tcp(9000) },
  ])
})

test('allows a collector in this process', () => {
  const results = { kind: 'here', host: '10.0.0.9', port: 9000 }
  const rules = egressTo(
    { baseUrl: 'http://10.0.0.5', wsUrl: 'ws://10.0.0.5' },
    { cluster: { ...plan.cluster, results } },
  )
  expect(rules.at(-1)).toEqual({ to: [{ ipBlock: { cidr: '10.0.0.9/32' } }], ports: tcp(9000) })
})

test('further outputs may send anywhere, unless they only write files', () => {
  const urls = { baseUrl: 'http://10.0.0.5', wsUrl: 'ws://10.0.0.5' }
  expect(egressTo(urls, { k6Outs: [{ name: 'opentelemetry', argument: null }] })).toEqual([
    DNS,
    PODS,
    { to: ANYWHERE },
  ])
  expect(egressTo(urls, { k6Outs: [{ name: 'json', argument: '/results/raw.json' }] })).toEqual(
    egressTo(urls),
  )
})
