import type { RunRecord } from '../run-record.ts'

/** What goes into the objects of a run beside its plan. */
export type ManifestParts = {
  /** Where runners push what they measure: `http://HOST:8090`; null where they write to a volume. */
  collectorUrl: string | null
  /** By which the collector knows them, and who gathers. */
  token: string
  /** Null: none is named, and whoever applies them chooses. */
  namespace: string | null
  runRecord: RunRecord
  /** The bundled script; null where the image has it. */
  script: string | null
  /** The target's certificates, as PEM; null: none of its own. */
  ca: string | null
  /** Settings of further outputs of k6, by their names in the environment: as secret as passwords. */
  settings: Readonly<Record<string, string>>
  /** The id of the TestRun once it is there: with it goes all the rest. */
  ownerUid?: string
}

/** The part of a run that an object, or a pod, is of. */
export type Component = 'run' | 'runner' | 'starter' | 'results'
