/** Writes two concurrent scenarios: one judges, one loads. */
export function scenarioText(name: string): string {
  return `// ${name}: a scenario of your own.
//
//   breakwater run ${name}.k6.ts                          against the stub
//   breakwater run ${name}.k6.ts --target profile.json    against a deployment
//
// \`breakwater\`, beside this file, is a link to the installation; keep it out of version control. docs/own-scenarios.md of
// the installation tells what the kit has; a client that stays, through restarts and expiries, is \`withClient\`.
import { type Judge, judge, once, pickRows, request, requestAlone, scenarioOptions, target } from './breakwater/scenarios/kit.ts'

export const options = scenarioOptions({
  // Your rules: their ids begin with own., and each gets a verdict in the report.
  rules: {
    'own.pools.listed-reads': 'every pool of the first page of /pools reads by its key',
  },
  // As k6 has them; exec names the exported function that runs.
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
    if (reply.status !== 200) verdict.fail(rule, \`answered \${reply.status}\`, [reply.evidence()])
  }
  // The first word on a rule counts: where one has failed, this says nothing any more.
  verdict.pass(rule, \`\${keys.length} pools read\`)
}

/** Loads: ten times a second. Latency and errors are in the report, by route. */
export function load(): void {
  requestAlone(target, { method: 'GET', path: '/explore/pools', query: { limit: '20' }, unread: true })
}
`
}
