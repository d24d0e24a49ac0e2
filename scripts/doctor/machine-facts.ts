/** What `breakwater doctor` knows of a machine; look-at-machine.ts finds it out, the checks judge it. */
export type MachineFacts = {
  platform: NodeJS.Platform
  node: { version: string; needed: string }
  k6: {
    path: string
    /** By BREAKWATER_K6. */
    isGiven: boolean
    isExecutable: boolean
    /** What it says of itself; null: it does not run, or lacks an extension of k6/. */
    version: string | null
  }
  go: { version: string | null; hasPip: boolean }
  /** Those that `breakwater stub` listens on unless told, with why one cannot be had. */
  ports: readonly { port: number; failure: string | null }[]
  /** Null: not to be had on this platform. */
  ephemeralPorts: number | null
  openFilesMax: number | null
  /** How far either clock went meanwhile, and what time it is. */
  clock: { wallMs: number; steadyMs: number; now: Date }
  cores: number
  memoryBytes: number
  folders: Readonly<Record<'cache' | 'runs' | 'temporary', FolderFacts>>
}

export type FolderFacts = {
  path: string
  /** Why nothing can be written there; null: it can. */
  failure: string | null
  freeBytes: number | null
}
