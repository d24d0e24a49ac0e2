import { isIP } from 'node:net'
import { writesFile } from '../../k6/k6-outs.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import { collectorUrlOf } from './collector-url.ts'

type Rule = { to?: unknown[]; ports?: { protocol: 'TCP' | 'UDP'; port: number }[] }

/** Where a cloud tells each machine its own credentials. */
const LINK_LOCAL = ['169.254.0.0/16']
const ANYWHERE = [
  { ipBlock: { cidr: '0.0.0.0/0', except: LINK_LOCAL } },
  { ipBlock: { cidr: '::/0', except: ['fe80::/10'] } },
]

/**
 * Where runners may go: to names, to pods of the cluster (a Service’s port may be another than its pods’), and outside of it to the
 * target, the signer and the collector alone. Other outputs of k6 may go anywhere: their addresses stand in their settings.
 */
export function runnerEgress({ target, k6Outs, cluster }: ClusterLoadPlan): Rule[] {
  const { baseUrl, wsUrl, credentials } = target.profile
  const addresses = [
    baseUrl,
    wsUrl,
    credentials.signer ?? [],
    cluster.results.kind === 'here' ? (collectorUrlOf(cluster) ?? []) : [],
  ].flat()
  const outside = [...new Map(addresses.map(ruleOf).map((rule) => [JSON.stringify(rule), rule])).values()]
  return [
    {
      ports: [
        { protocol: 'UDP', port: 53 },
        { protocol: 'TCP', port: 53 },
      ],
    },
    { to: [{ namespaceSelector: {} }] },
    ...(k6Outs.every(writesFile) ? outside : [{ to: ANYWHERE }]),
  ]
}

/** What a name stands for is not known here. */
function ruleOf(address: string): Rule {
  const { hostname, port, protocol } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const number = port === '' ? DEFAULT_PORTS[protocol] : Number(port)
  const bits = { 0: null, 4: 32, 6: 128 }[isIP(host)]
  return {
    to: bits === null || bits === undefined ? ANYWHERE : [{ ipBlock: { cidr: `${host}/${bits}` } }],
    ports: [{ protocol: 'TCP', port: number ?? 0 }],
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 }
