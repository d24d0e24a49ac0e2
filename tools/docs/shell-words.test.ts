import { expect, test } from 'vitest'
import { breakwaterArguments, shellWords } from './shell-words.ts'

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

test('knows a breakwater command, by npx and without', () => {
  expect(breakwaterArguments('npx breakwater runs prune')).toEqual(['runs', 'prune'])
  expect(breakwaterArguments('TOKEN=… breakwater observe')).toEqual(['observe'])
  expect(breakwaterArguments('npx vite breakwater')).toBeUndefined()
})
