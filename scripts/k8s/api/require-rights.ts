import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import type { Cluster } from './open-cluster.ts'
import { rightHint } from './right-hint.ts'
import type { Right } from './rights.ts'

/**
 * Makes sure that the user may do all that a command is going to do, before it does any of it: a load whose results may not be taken
 * would be made in vain. Throws a BreakwaterError (environment) that names what is missing.
 */
export async function requireRights(
  cluster: Pick<Cluster, 'may' | 'namespace'>,
  rights: readonly Right[],
): Promise<void> {
  const answers = await Promise.all(rights.map(async (right) => ({ right, may: await cluster.may(right) })))
  const missing = answers.filter(({ may }) => !may).map(({ right }) => right)
  const [first] = missing
  if (first === undefined) return
  throw new BreakwaterError(
    `namespace ${cluster.namespace}: the cluster does not let you ${missing.map(({ verb, resource }) => `${verb} ${resource}`).join(', ')}`,
    { hint: rightHint({ ...first, namespace: cluster.namespace }), exitCode: EXIT.environment },
  )
}
