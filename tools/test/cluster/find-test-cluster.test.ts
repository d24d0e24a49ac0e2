import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import { findTestCluster } from './find-test-cluster.ts'

/** Searches with a kubectl that returns the answers in the table, and otherwise fails. */
function found(
  answers: Partial<Record<'config' | 'version' | 'customresourcedefinition' | 'deployment', string>>,
) {
  const kubectl = join(temporaryFolder(), 'kubectl')
  const lines = Object.entries(answers).map(([word, answer]) => `*" ${word} "*) echo '${answer}'; exit 0;;`)
  writeFileSync(
    kubectl,
    `#!/bin/sh\ncase " $* " in\n${lines.join('\n')}\nesac\necho 'no answer' >&2\nexit 1\n`,
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
  ['no context', {}, 'a Kubernetes cluster (no answer)', /KUBECONFIG/],
  ['nobody answers', { config: 'tests' }, 'the cluster of context tests (no answer)', /^Start it/],
  ['no operator', { config: 'tests', version: '{}' }, 'the kind TestRun (no answer)', /^Install Grafana/],
  [
    'operator not ready',
    { ...all, deployment: '' },
    'a k6-operator that is ready (none is there)',
    /^Install Grafana/,
  ],
])('reports what is missing: %s', (_, answers, missing, remedy) => {
  expect(found(answers)).toEqual({ missing, remedy: expect.stringMatching(remedy) })
})

test('kubectl is missing', () => {
  const { missing } = findTestCluster({ BREAKWATER_KUBECTL: '/nowhere/kubectl' })
  expect(missing).toBe('a Kubernetes cluster (spawnSync /nowhere/kubectl ENOENT)')
})
