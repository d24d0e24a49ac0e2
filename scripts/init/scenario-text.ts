/** Writes two concurrent scenarios: one judges, one loads. */
export function scenarioText(name: string): string {
  return `// ${name}: a custom scenario.
//
//   breakwater run ${name}.k6.ts                          against the stub
//   breakwater run ${name}.k6.ts --target profile.json    against a deployment
//
// \`breakwater\`, next to this file, is a link to the installation; keep it out of version control. docs/guides/custom-scenarios.md of
// the installation documents the kit; \`withClient\` makes a client that survives restarts and expiries.
import { type Judge, judge, once, pickRows, request, requestAlone, scenarioOptions, target } from './breakwater/scenarios/kit.ts'

export const options = scenarioOptions({
  // Your rules: their ids begin with own., and each gets a verdict in the report.
  rules: {
    'own.pools.listed-reads': 'every pool of the first page of /pools reads by its key',
  },
  // k6 scenarios; exec names the exported function to run.
  scenarios: {
    ...once('pools'),
    load: {
      executor: 'constant-arrival-rate',
      rate: 10,
      timeUnit: '1s',
      duration: '5s',
      preAllocatedVUs: 5,
      exec: 'load',
    },
  },
})

/** Judges: runs once. */
export function pools(): Promise<void> {
  return judge(['own.pools.listed-reads'], judgePools)
}

async function judgePools(verdict: Judge): Promise<void> {
  const rule = 'own.pools.listed-reads'
  const page = await request(target, { method: 'GET', path: '/pools', query: { limit: '10' } })
  const keys = (pickRows(page.json, 'data') ?? []).map((row) => String(row.key))
  if (keys.length === 0) {
    verdict.inconclusive(rule, 'the first page has no pools', [page.evidence()])
    return
  }
  for (const key of keys) {
    const path = \`/pools/\${encodeURIComponent(key)}\`
    const reply = await request(target, { method: 'GET', path, route: '/pools/{key}' })
    if (reply.status !== 200) verdict.fail(rule, \`returned \${reply.status}\`, [reply.evidence()])
  }
  // The first verdict on a rule counts: after a failure, this has no effect.
  verdict.pass(rule, \`\${keys.length} pools read\`)
}

/** Loads: ten times per second. Latency and errors are in the report, by route. */
export function load(): void {
  requestAlone(target, { method: 'GET', path: '/explore/pools', query: { limit: '20' }, unread: true })
}
`
}
