/**
 * `npm run test:kubernetes [-- FILE…]`: the tests that need a cluster with k6-operator. Without one, prints that they were
 * skipped and exits with 0, or with 1 if BREAKWATER_CLUSTER=required. BREAKWATER_IMAGE names an image that the cluster can pull,
 * BREAKWATER_STARTER_IMAGE one to start the runners instead of the operator's own.
 */
import { spawnSync } from 'node:child_process'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { projectPath } from '../scripts/project.ts'
import { findTestCluster, nodeImage } from './test/cluster/find-test-cluster.ts'

const NO_IMAGE =
  'Build one (npm run image -- --output image.tar, or docker build), load it on the nodes or push it to their registry, and set BREAKWATER_IMAGE to its name.'

const found = findTestCluster(process.env)
if (found.missing === null) await testIn(found.context)
else skip(found.missing, found.remedy)

async function testIn(context: string): Promise<void> {
  const given = process.env.BREAKWATER_IMAGE
  const made = given ? undefined : await nodeImage(process.env).catch(failed)
  const image = given || made?.name
  if (process.exitCode !== undefined) return
  if (image === undefined) return skip('an image that the cluster can run', NO_IMAGE)
  console.log(`cluster ${context}, image ${image}`)
  try {
    process.exitCode = runTests(image)
  } finally {
    made?.remove()
  }
}

function runTests(image: string): number {
  const starter = process.env.BREAKWATER_STARTER_IMAGE || (process.env.KUBE_HOME && 'localhost/k6-starter:1')
  const config = projectPath('tools/test/cluster/vitest.config.ts')
  const vitest = [
    projectPath('node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    config,
    ...process.argv.slice(2),
  ]
  const { status } = spawnSync(process.execPath, vitest, {
    cwd: projectPath('.'),
    stdio: 'inherit',
    env: { ...process.env, BREAKWATER_IMAGE: image, ...(starter && { BREAKWATER_STARTER_IMAGE: starter }) },
  })
  return status ?? 1
}

function skip(missing: string, remedy: string): void {
  console.error(`\n!!! SKIPPED: the tests in a cluster did not run. They need ${missing}.\n    ${remedy}\n`)
  if (process.env.BREAKWATER_CLUSTER === 'required') process.exitCode = 1
}

function failed(error: unknown): undefined {
  if (!(error instanceof Error)) throw error
  const hint = error instanceof BreakwaterError ? error.hint : undefined
  console.error(`test:kubernetes: ${error.message}${hint === undefined ? '' : `\n  ${hint}`}`)
  process.exitCode = 1
}
