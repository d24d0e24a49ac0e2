/** What diagnosing reads of the cluster's objects; the API gives more. */
export type PodView = {
  metadata: MetadataView
  spec?: { nodeName?: string; containers?: readonly ContainerView[] }
  status?: {
    phase?: string
    reason?: string
    message?: string
    conditions?: readonly ConditionView[]
    containerStatuses?: readonly { ready?: boolean; state?: ContainerState }[]
  }
}

export type JobView = {
  metadata: MetadataView
  status?: {
    active?: number
    succeeded?: number
    failed?: number
    conditions?: readonly ConditionView[]
  }
}

export type EventView = {
  involvedObject: { kind?: string; name?: string; uid?: string }
  type?: string
  reason?: string
  message?: string
  lastTimestamp?: string | null
  eventTime?: string | null
}

export type TestRunView = {
  metadata: MetadataView
  spec: { parallelism: number }
  status?: { stage?: string }
}

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

type ContainerView = { image?: string; resources?: { limits?: Readonly<Record<string, string>> } }
