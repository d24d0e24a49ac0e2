import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import { findTestCluster } from './find-test-cluster.ts'

/** Searches with a kubectl that prints the given outputs, and otherwise fails. */
function found(
  outputs: Partial<Record<'config' | 'version' | 'customresourcedefinition' | 'deployment', string>>,
) {
  const kubectl = join(temporaryFolder(), 'kubectl')
  const lines = Object.entries(outputs).map(([word, output]) => `*" ${word} "*) echo '${output}'; exit 0;;`)
  writeFileSync(
    kubectl,
    `#!/bin/sh\ncase " $* " in\n${lines.join('\n')}\nesac\necho 'no response' >&2\nexit 1\n`,
  )
  chmodSync(kubectl, 0o755)
  return findTestCluster({ PATH: process.env.PATH, BREAKWATER_KUBECTL: kubectl })
}

const all = {
  config: 'tests',
  version: '{}',
  customresourcedefinition: 'testruns',
  deployment: 'k6-operator',
}

test('a reachable cluster with a ready operator', () => {
  expect(found(all)).toEqual({ missing: null, context: 'tests' })
})

test.each([
  ['no context', {}, 'a Kubernetes cluster (no response)', /KUBECONFIG/],
  ['no cluster', { config: 'tests' }, 'the cluster of context tests (no response)', /^Start it/],
  ['no operator', { config: 'tests', version: '{}' }, 'the kind TestRun (no response)', /^Install Grafana/],
  ['operator not ready', { ...all, deployment: '' }, 'a ready k6-operator (none found)', /^Install Grafana/],
])('reports what is missing: %s', (_, outputs, missing, remedy) => {
  expect(found(outputs)).toEqual({ missing, remedy: expect.stringMatching(remedy) })
})

test('kubectl is missing', () => {
  const { missing } = findTestCluster({ BREAKWATER_KUBECTL: '/nowhere/kubectl' })
  expect(missing).toBe('a Kubernetes cluster (spawnSync /nowhere/kubectl ENOENT)')
})
