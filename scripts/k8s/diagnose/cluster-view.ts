/** The parts of the cluster's objects that a diagnosis reads; the API returns more. */
export type PodView = {
  metadata: MetadataView
  status?: {
    phase?: string
    reason?: string
    message?: string
    conditions?: readonly ConditionView[]
    containerStatuses?: readonly { state?: ContainerState }[]
  }
}

export type JobView = {
  metadata: MetadataView
  status?: { succeeded?: number; failed?: number; conditions?: readonly ConditionView[] }
}

export type EventView = {
  involvedObject: { kind?: string; name?: string; uid?: string }
  type?: string
  reason?: string
  message?: string
  lastTimestamp?: string | null
  eventTime?: string | null
}

export type TestRunView = { metadata: MetadataView; status?: { stage?: string } }

export type ConditionView = {
  type: string
  status: string
  reason?: string
  message?: string
  lastTransitionTime?: string | null
}

export type ContainerState = {
  waiting?: { reason?: string; message?: string }
  running?: object
  terminated?: { exitCode: number; reason?: string; message?: string; finishedAt?: string | null }
}

type MetadataView = {
  name: string
  uid?: string
  labels?: Readonly<Record<string, string>>
  deletionTimestamp?: string
}
