import { expect, test } from 'vitest'
import { listNamedFiles } from './reader.ts'

test.each([
  ['smoke --target staging.json --include-slow', [['staging.json', 'profile']]],
  ['smoke --mix market', []],
  [
    'smoke --mix mine.json --slo mine.json',
    [
      ['mine.json', 'mix'],
      ['mine.json', 'slo'],
    ],
  ],
  ['stub --faults outage --profile stub.json', []],
  ['stub --faults mine.json', [['mine.json', 'plan']]],
  [
    'compare runs/v1 runs/v2',
    [
      ['runs/v1', 'run'],
      ['runs/v2', 'run'],
    ],
  ],
  [
    'compare --run old.json new.json --rate 50',
    [
      ['old.json', 'profile'],
      ['new.json', 'profile'],
    ],
  ],
  ['compare --run stub:base-20ms stub:outage --rate 50', []],
  [
    'compare --baseline runs runs/v2',
    [
      ['runs/earlier', 'run'],
      ['runs/v2', 'run'],
    ],
  ],
  ['runs', [['runs/earlier', 'run']]],
  [
    'merge a b --output whole',
    [
      ['a', 'run'],
      ['b', 'run'],
    ],
  ],
  ['load --rate 1 --k6-out json=samples.json', []],
  ['run mine.k6.ts', [['mine.k6.ts', 'scenario']]],
] as const)('breakwater %s', (line, givens) => {
  expect(listNamedFiles(line.split(' ')).map(({ path, kind }) => [path, kind])).toEqual(givens)
})
