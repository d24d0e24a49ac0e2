/** `breakwater k8s stub`: the objects of a stub exchange in a cluster, printed. */
import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { shellLine } from '../command-line.ts'
import { objectsText } from '../k8s/manifests/objects-text.ts'
import { planStub, type StubInClusterOptions } from '../k8s/stub/plan-stub.ts'
import { stubObjectsOf } from '../k8s/stub/stub-objects.ts'
import { stubProfileOf } from '../k8s/stub/stub-profile.ts'
import { writeProfile } from '../stub/write-profile.ts'

export type K8sStubOptions = StubInClusterOptions & {
  /** A file for its profile, for those who reach it in the cluster. */
  profile?: string
  json?: true
}

/** Throws a BreakwaterError (usage) for a bad option or file, and where the profile cannot be written. */
export async function runK8sStub(options: K8sStubOptions): Promise<ExitCode> {
  const { io, profile: file, json } = options
  const { plan, stub } = await planStub(options)
  const objects = stubObjectsOf(plan)
  if (file !== undefined) {
    const profile = stubProfileOf(plan, stub.profile)
    await writeProfile({ profile, wallets: stub.wallets }, { file, cwd: io.cwd })
    const { env } = profile.credentials.apiTokens
    const load = shellLine(['--target', file, '--confirm', new URL(profile.baseUrl).hostname])
    io.tell(`a load of it: ${env}=${stub.apiTokens.join(',')} breakwater k8s run ${load} --image …`)
  }
  io.document(objectsText(objects, { json }))
  return EXIT.ok
}
