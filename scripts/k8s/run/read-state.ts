import type { Kind, KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { EventView, JobView, PodView, TestRunView } from '../diagnose/cluster-view.ts'

/** What the cluster tells of a run at one time. */
export type ClusterState = {
  testRun: TestRunView | null
  jobs: readonly JobView[]
  /** Of runners, starter, and results. */
  pods: readonly PodView[]
  /** Of all these, and of pods that are gone. */
  events: readonly EventView[]
}

/** Reads all that is told of the run of a name. Throws a BreakwaterError where the cluster does not answer. */
export async function readState(cluster: Pick<Cluster, 'get' | 'list'>, name: string): Promise<ClusterState> {
  const list = <View>(kind: Kind, labels?: string) =>
    cluster.list<View & KubeObject>(kind, labels === undefined ? {} : { labels })
  const [testRun, jobs, made, own, events] = await Promise.all([
    cluster.get<TestRunView & KubeObject>('TestRun', name),
    list<JobView>('Job', `app=k6,k6_cr=${name}`),
    list<PodView>('Pod', `app=k6,k6_cr=${name}`),
    list<PodView>('Pod', `app.kubernetes.io/instance=${name},app.kubernetes.io/managed-by=breakwater`),
    list<EventView>('Event'),
  ])
  const pods = [...new Map([...made, ...own].map((pod) => [pod.metadata.name, pod])).values()]
  // Of pods too that are gone: their names begin so.
  const isOfRun = ({ involvedObject }: EventView) => involvedObject.name?.startsWith(name) === true
  return { testRun, jobs, pods, events: events.filter(isOfRun) }
}
