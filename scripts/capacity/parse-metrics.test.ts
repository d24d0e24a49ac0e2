import { expect, test } from 'vitest'
import { parseMetrics } from './parse-metrics.ts'

test('reads samples, and nothing else', () => {
  const text = `# HELP a Of something
# TYPE a counter
a 1
b{le="0.5",path="/x} y"} 2.5e3
c{} 3 1395066363000
  d   4  
e NaN
f +Inf
no sample at all
`
  expect(parseMetrics(text)).toEqual([
    { name: 'a', value: 1 },
    { name: 'b{le="0.5",path="/x} y"}', value: 2500 },
    { name: 'c{}', value: 3 },
    { name: 'd', value: 4 },
  ])
})
