import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beyondBounds, RESPONSE_BOUNDS, TARGET_CHECK, targetProblemIn } from './response-bounds.ts'

const BOUNDS = { jsonLevelsMax: 3, jsonValuesMax: 8 }
const DEEP = 'JSON nested deeper than 3 levels'
const MANY = 'JSON of more than 8 values'

test.each([
  ['[[[]]]', undefined],
  ['[[[[]]]]', DEEP],
  ['{"a":{"b":{"c":[]}}}', DEEP],
  ['[[],[],[]]', undefined],
  ['["[[[[[", "\\"[[[[", "\\\\", [[]]]', undefined],
  ['["\\\\", [[[]]]]', DEEP],
  ['["]]]]", [[[]]]]', DEEP],
  ['[1,2,3,4,5,6,7,8]', undefined],
  ['[1,2,3,4,5,6,7,8,9]', MANY],
  ['[",,,,,,,,,,,,"]', undefined],
  ['[{},{},{},{}]', undefined],
  ['[{},{},{},{},{}]', MANY],
  ['', undefined],
])('%s: %s', (text, beyond) => {
  expect(beyondBounds(text, BOUNDS)).toBe(beyond)
})

test('of JSON it knows how deep it is', () => {
  const measureDepth = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(measureDepth))
      : 0
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(6), (value, jsonLevelsMax) => {
      const beyond = beyondBounds(JSON.stringify(value), { jsonLevelsMax, jsonValuesMax: 1e9 })
      expect(beyond !== undefined).toBe(measureDepth(value) > jsonLevelsMax)
    }),
  )
})

test('five million levels are no more than a long text', () => {
  expect(beyondBounds('['.repeat(5_000_000))).toBe('JSON nested deeper than 1000 levels')
  expect(beyondBounds(`"${'['.repeat(5_000_000)}"`)).toBeUndefined()
})

test('what a runner says against its target is one line of its log', () => {
  const line = `test aborted: ${TARGET_CHECK.says}http://stub:8080: GET /health -> no response`
  expect(targetProblemIn(`said before\n${line}\nsaid after\n`)).toBe(
    'http://stub:8080: GET /health -> no response',
  )
  expect(targetProblemIn('test aborted: by the user\n')).toBeUndefined()
})

test('k6 has the same limits', () => {
  const { bytesMax, messageBytesMax, jsonLevelsMax, jsonValuesMax } = RESPONSE_BOUNDS
  const [, inGo = ''] =
    /^var ofEachVU = limits\{(.*)\}$/m.exec(readFileSync('k6/bounds/bounds.go', 'utf8')) ?? []
  expect(
    [...inGo.replaceAll('_', '').matchAll(/(\w+): (\d+)( << 20)?/g)].map(([, name, value, mebi]) => [
      name,
      Number(value) * (mebi ? 2 ** 20 : 1),
    ]),
  ).toEqual([
    ['BytesMax', bytesMax],
    ['MessageBytesMax', messageBytesMax],
    ['JSONLevelsMax', jsonLevelsMax],
    ['JSONValuesMax', jsonValuesMax],
  ])
})
