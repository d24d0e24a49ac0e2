import { expect, test } from 'vitest'
import { imageReference, kubeName, memorySize, resultsPlace, runName } from './cluster-options.ts'

test.each([
  ['64Mi', 67_108_864],
  ['1.5Gi', 1_610_612_736],
  ['500M', 500_000_000],
  ['1024Gi', 1_099_511_627_776],
])('%s is a memory size', (text, bytes) => {
  expect(memorySize(text)).toBe(bytes)
})

test.each(['63Mi', '1025Gi', '512', '512mi', '-1Gi', '1e3Mi', 'Mi', '', '1 Gi'])(
  'rejects the memory size "%s"',
  (text) => {
    expect(() => memorySize(text)).toThrow('Expected a size from 64Mi to 1024Gi')
  },
)

test.each([
  ['pod', { kind: 'pod' }],
  ['claim=results', { kind: 'claim', claim: 'results' }],
  ['here=10.0.0.5', { kind: 'here', host: '10.0.0.5', port: 8090 }],
  ['here=10.0.0.5:9000', { kind: 'here', host: '10.0.0.5', port: 9000 }],
  ['here=[fd00::5]:9000', { kind: 'here', host: 'fd00::5', port: 9000 }],
])('%s is a place for results', (text, place) => {
  expect(resultsPlace(text)).toEqual(place)
})

test.each([
  '',
  'pods',
  'claim',
  'claim=',
  'claim=A',
  'here',
  'here=',
  'here=host',
  'here=10.0.0.256',
  'here=fd00::5',
  'here=10.0.0.5:0',
  'here=10.0.0.5:65536',
  'here=[10.0.0.5]',
])('rejects the place for results "%s"', (text) => {
  expect(() => resultsPlace(text)).toThrow('Expected')
})

test.each(['a', 'evening-1', `a${'b'.repeat(38)}c`])('%s is a run name', (text) => {
  expect(runName(text)).toBe(text)
})

test.each(['', '1st', 'Evening', 'a-', 'a.b', 'a_b', `a${'b'.repeat(40)}`])(
  'rejects the run name "%s"',
  (text) => {
    expect(() => runName(text)).toThrow('Expected at most 40 lowercase letters')
  },
)

test('rejects names and images with spaces, and those that look like options', () => {
  expect(kubeName('registry.key-1')).toBe('registry.key-1')
  expect(imageReference('registry.example:5000/a/b@sha256:0f')).toBe('registry.example:5000/a/b@sha256:0f')
  for (const text of ['', ' a', '-a', 'a b', 'a\nb', 'a$(b)']) {
    expect(() => kubeName(text)).toThrow('Expected a Kubernetes name')
    expect(() => imageReference(text)).toThrow('Expected an image')
  }
})
