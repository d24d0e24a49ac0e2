/**
 * Every command line that README and pages show, once, by what runs it. A test fails where one is missing here, or is
 * shown no more.
 */

/** Run by `npm test`, and the exit code. Whatever takes more than ten seconds by itself belongs below. */
export const SHORT: Readonly<Record<string, number>> = {
  'npx breakwater smoke --no-load': 0,
  "npx breakwater smoke --rules 'ws.*' --no-load": 0,
  'npx breakwater up --profile stub.json': 0,
  'npx breakwater up': 0,
  'npx breakwater up --load start.dump': 0,
  'npx breakwater up --faults deploy-1012': 0,
  'npx breakwater up --service-rate 400': 0,
  'npx breakwater up --service-rate 400 --no-observer --profile stub.json': 0,
  'npx breakwater up --profile stub.json --faults bad-day > up.txt & up=$!': 0,
  "until grep -q '^Ctrl-C' up.txt || ! kill -0 $up; do sleep 0.2; done": 0,
  "export BREAKWATER_CONTROL_TOKEN=$(sed -n 's/^control .* token //p' up.txt)": 0,
  'status=$?': 0,
  'kill $up': 0,
  'exit $status': 0,
  'export BREAKWATER_CONTROL_TOKEN=…': 0,
  'breakwater up --faults rate-limit-burst': 0,
  'breakwater faults apply outage': 0,
  'breakwater faults list': 0,
  'breakwater faults clear': 0,
  'curl -H "Authorization: Bearer $BREAKWATER_CONTROL_TOKEN" http://127.0.0.1:8082/status': 0,
  'curl -H "Authorization: Bearer $BREAKWATER_CONTROL_TOKEN" --json \'{"ms": 60000}\' http://127.0.0.1:8082/clock/advance': 0,
  'npx breakwater repro list': 0,
  'npx breakwater repro run refresh-race-two-tabs': 0,
  'npx breakwater runs': 0,
  'breakwater runs': 0,
  'breakwater runs prune --older-than 30d --keep 20': 0,
  'npx breakwater merge a b --out whole': 0,
  'breakwater merge a b --out whole': 0,
  'npx breakwater init scenario mine': 0,
  'npx breakwater run mine.k6.ts': 0,
  'npx breakwater report runs/<run>': 0,
  'npx breakwater report runs/… --slo mine.json': 0,
  'npx breakwater chain --world mine.json --events >(gzip > events.ndjson.gz)': 0,
  // Single runs are not comparable; so short ones would not be either.
  'npx breakwater compare runs/<a> runs/<b>': 3,
  'breakwater compare runs/v1 runs/v2': 3,
  'breakwater compare --baseline runs runs/v2': 3,
}

/** Run by `npm run nightly`, with the short ones of the same page, and the exit code. */
export const LONG: Readonly<Record<string, number>> = {
  'npx breakwater smoke': 0,
  'npx breakwater smoke --mutant ws-33-rooms': 1,
  'npx breakwater smoke --waivers known.json': 0,
  'npx breakwater smoke --mix market': 0,
  'npx breakwater smoke --mix mine.json': 0,
  'npx breakwater smoke --slo mine.json': 0,
  'npx breakwater smoke --choices odd': 0,
  'npx breakwater smoke --target staging.json': 0,
  'npx breakwater smoke --target staging.json --slow': 0,
  'npx breakwater smoke --target staging.json --confirm exchange.example': 0,
  'npx breakwater run mine.k6.ts --choices odd --world calm': 0,
  'npx breakwater run mine.k6.ts --target profile.json': 0,
  'BREAKWATER_CONTROL_TOKEN=… npx breakwater observe --for 60s': 0,
  'npx breakwater observe --all --for 35s --junit observed.xml': 0,
  'npx breakwater chain --world volatile --blocks 500': 0,
  'npx breakwater chain --world volatile --blocks 5000 --seed 7': 0,
  'npx breakwater chain --world volatile --seed 7 --blocks 0 --dump start.dump': 0,
  'npx breakwater chain --load start.dump --blocks 1000 --events events.ndjson --json': 0,
  'npx breakwater load --rate 200 --duration 60': 0,
  'npx breakwater load --target staging.json --rate 200 --duration 60': 0,
  'breakwater load --rate 200 --k6-out json=samples.json.gz': 0,
  'npx breakwater capacity': 0,
  'npx breakwater capacity --target staging.json': 0,
  'npx breakwater capacity --target staging.json --slo mine.json': 0,
  'npx breakwater capacity --target staging.json --mix market.json --from 20 --to 500': 0,
  'npx breakwater capacity --target staging.json --stages spike': 0,
  'npx breakwater capacity --target staging.json --confirm staging.example --require 300': 0,
  'npx breakwater capacity --target stub.json': 0,
  'npx breakwater capacity --stages spike': 0,
  'npx breakwater capacity --slo feed --mix bots': 0,
  'breakwater capacity --target staging.json --instances 3': 0,
  'breakwater capacity --target new.json --baseline runs': 0,
  'npx breakwater compare --run old.json new.json --repeat 5': 0,
  'breakwater compare --run old.json new.json --rate 50': 0,
  'breakwater compare --run stub:base-20ms stub:one-route-15-percent-slower --rate 50': 1,
}

/** Run by no page's test: why, and what holds instead. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'npm ci && npm run smoke': 'what `.ci/run` begins with',
  'npm test': 'would run itself',
  'npm run clients': 'a step of `.ci/run`',
  'BREAKWATER_API_TOKENS=… PYTHON scripts/clients/python/bot.py stub.json':
    'goes on until Ctrl-C: scripts/clients/python-client.test.ts runs it',
  'npx tsx scripts/clients/node/main.ts stub.json':
    'goes on until Ctrl-C: scripts/clients/node/main.test.ts runs it',
  'npx breakwater up --profile scripts/clients/browser/stub.json':
    'for the page below: scripts/clients/browser-page.test.ts',
  'npx vite scripts/clients/browser':
    'serves a browser until Ctrl-C: scripts/clients/browser-page.test.ts drives the page',
  'BREAKWATER_CONTROL_TOKEN=… npx breakwater observe':
    'goes on until Ctrl-C: scripts/commands/observe.test.ts',
  'npm run my-client-tests -- --profile stub.json': 'stands for tests of the reader’s',
  './breakwater/node_modules/.bin/tsc -p .': 'needs a folder of its own: scripts/docs/own-types.test.ts',
  'breakwater load --target staging.json --rate 1000 --duration 60 --seed 1 --out a':
    'on several machines: scripts/commands/merge.test.ts merges smaller ones',
  'breakwater load --target staging.json --rate 1000 --duration 60 --seed 2 --out b': 'the same',
  'breakwater load --target staging.json --rate 3000 --duration 60 --instances 3':
    'more than a machine of two cores makes: scripts/commands/load-instances.test.ts',
  'K6_PROMETHEUS_RW_SERVER_URL=http://127.0.0.1:9090/api/v1/write breakwater load --rate 200 --k6-out experimental-prometheus-rw':
    'takes a Prometheus: scripts/exports/prometheus.test.ts',
}
