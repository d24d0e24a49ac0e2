import { expect, test } from 'vitest'
import { countGoTests } from './count-go-tests.ts'

test('counts top-level tests, and keeps what failed ones printed', () => {
  const output = [
    '{"Action":"run","Package":"p","Test":"TestA"}',
    '{"Action":"pass","Package":"p","Test":"TestA/sub"}',
    '{"Action":"pass","Package":"p","Test":"TestA"}',
    '{"Action":"output","Package":"p","Test":"TestB","Output":"want 1, got 2\\n"}',
    '{"Action":"fail","Package":"p","Test":"TestB"}',
    '{"Action":"fail","Package":"p"}',
    'not JSON',
  ].join('\n')
  expect(countGoTests(output)).toEqual({ passed: 1, failed: 1, failures: ['want 1, got 2\n'] })
})
