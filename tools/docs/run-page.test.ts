import { expect, test } from 'vitest'
import { breakwaterArguments, headingAnchors, pageFiles, pageScript, shellWords } from './run-page.ts'

test('a code block that starts with a file name is a file', () => {
  const page = '```js\n// bot.mjs\nbot()\n```\n\n```js\n// a remark\nother()\n```\n\n```sh\n# no.mjs\n```\n'
  expect(pageFiles(page)).toEqual({ 'bot.mjs': '// bot.mjs\nbot()\n' })
})

const script = (...lines: string[]) =>
  pageScript(lines)
    .split('\n')
    .slice(-6 - lines.length)
    .join('\n')

test('a stub runs in the background, on free ports', () => {
  expect(script('npx breakwater stub --profile stub.json')).toContain(
    'breakwater stub --port 0 --feed-port 0 --control-port 0 --profile stub.json --show-tokens > .up.txt 2>&1 & __up=$!\n__up_ready\n__told $? 0',
  )
})

test('a line that starts a stub in the background only gets free ports', () => {
  expect(script('breakwater stub > up.txt & up=$!')).toContain(
    '__up_ends\nbreakwater stub --port 0 --feed-port 0 --control-port 0 > up.txt & up=$!\n__told $? 0',
  )
})

test.each([
  ['curl http://127.0.0.1:8082/status', 'curl http://127.0.0.1:$(__port control)/status'],
  [
    'breakwater observe --duration 60s',
    'breakwater observe --control http://127.0.0.1:$(__port control) --duration 60s',
  ],
  [
    'breakwater faults apply outage',
    'breakwater faults apply --control http://127.0.0.1:$(__port control) outage',
  ],
  ['breakwater load --confirm staging.example', 'breakwater load --confirm 127.0.0.1'],
  [
    'breakwater smoke --target a.json --confirm exchange.example',
    "__given deployment 'a.json'\nbreakwater smoke --target a.json --confirm '[::ffff:7f00:1]'",
  ],
  ['export BREAKWATER_CONTROL_TOKEN=…', 'export BREAKWATER_CONTROL_TOKEN=$(__up_says control)'],
  ['breakwater report runs/<run>', "__given run 'runs/given-run'\nbreakwater report runs/given-run"],
  [
    'breakwater report runs/… --slo a.json',
    "__given run 'runs/given'\n__given slo 'a.json'\nbreakwater report runs/given --slo a.json",
  ],
])('%s', (line, shown) => {
  expect(script(line)).toContain(`${shown}\n__told $? 0`)
})

test.each([
  ["smoke --rules 'ws.*' --no-load", ['smoke', '--rules', 'ws.*', '--no-load']],
  ['curl -H "Authorization: Bearer $T" url', ['curl', '-H', 'Authorization: Bearer $T', 'url']],
  ['A=1 B=2 breakwater stub', ['breakwater', 'stub']],
  ['breakwater stub > up.txt & up=$!', ['breakwater', 'stub']],
  ['a --events >(gzip > b)', ['a', '--events', '>(gzip > b)']],
  ['status=$?', ['status=$?']],
])('%s', (line, words) => {
  expect(shellWords(line)).toEqual(words)
})

test('recognizes a breakwater command, with and without npx', () => {
  expect(breakwaterArguments('npx breakwater runs prune')).toEqual(['runs', 'prune'])
  expect(breakwaterArguments('TOKEN=… breakwater observe')).toEqual(['observe'])
  expect(breakwaterArguments('npx vite breakwater')).toBeUndefined()
})

test.each([
  ['# Files and exit codes', 'files-and-exit-codes'],
  ['### `series.ndjson`', 'seriesndjson'],
  ['## GET /status', 'get-status'],
  ['## What it reports, and what it lets pass', 'what-it-reports-and-what-it-lets-pass'],
  ['## See [this](that.md)', 'see-this'],
])('%s', (heading, anchor) => {
  expect([...headingAnchors(`${heading}\n`)]).toEqual([anchor])
})

test('repeated headings are numbered; code has none', () => {
  expect([...headingAnchors('# A\n\n## A\n\n```sh\n# not one\n```\n')]).toEqual(['a', 'a-1'])
})
