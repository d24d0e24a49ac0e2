import { expect, test } from 'vitest'
import type { ResultsPlace } from '../cluster-load.ts'
import { collectorUrlOf } from './collector-url.ts'

test.each<[ResultsPlace, string | null]>([
  [{ kind: 'pod' }, 'http://evening-results:8090'],
  [{ kind: 'claim', claim: 'shared' }, null],
  [{ kind: 'here', host: '10.0.0.5', port: 9000 }, 'http://10.0.0.5:9000'],
  [{ kind: 'here', host: 'fd00::5', port: 9000 }, 'http://[fd00::5]:9000'],
])('results of %o are pushed to %s', (results, url) => {
  expect(collectorUrlOf({ name: 'evening', results })).toBe(url)
})
