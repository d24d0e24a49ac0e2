import { onTestFinished } from 'vitest'
import { type Cluster, openCluster } from '../../../scripts/k8s/api/open-cluster.ts'
import { runCommandLine } from '../run-command-line.ts'
import { openTestNamespace, type TestNamespace } from './open-test-namespace.ts'

/** A namespace of a real cluster, for one test; deleted with it. */
export type GivenCluster = Pick<TestNamespace, 'options' | 'kubectl'> & {
  namespace: string
  /** This checkout's. */
  image: string
  /** The API, as the product itself speaks to it. */
  api: Cluster
  /** Runs a command of breakwater in this process, in a folder of its own. */
  breakwater: typeof runCommandLine
}

/** Throws where the test was not started by `npm run test:kubernetes`, which looks for a cluster and makes the image. */
export async function givenCluster(): Promise<GivenCluster> {
  const image = process.env.BREAKWATER_IMAGE
  if (!image) throw new Error('start it by: npm run test:kubernetes -- FILE')
  const { name, options, kubectl, close } = openTestNamespace({
    image,
    starter: process.env.BREAKWATER_STARTER_IMAGE,
  })
  onTestFinished(close)
  const api = await openCluster({ env: process.env, namespace: name })
  onTestFinished(() => api.close())
  return { namespace: name, image, api, options, kubectl, breakwater: runCommandLine }
}
