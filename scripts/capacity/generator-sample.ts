/** What the processes of a load generator, and its machine, had used up at one time. Null: not to be had here. */
export type GeneratorSample = {
  /** Unix milliseconds. */
  atMs: number
  processes: ReadonlyMap<number, ProcessSample>
  /** Time of all cores together, since some beginning. */
  machine: { busyMs: number; totalMs: number } | null
  /** Cores that the processes may use, as far as the system limits them. */
  coresMax: number
  /** TCP sockets that are closed, and whose ports are not free yet. */
  timeWaitSockets: number | null
  ephemeralPorts: number | null
}

export type ProcessSample = {
  /** Processor time since it began. */
  cpuMs: number
  /** Time since it began that its threads could have run and had no core. */
  runDelayMs: number | null
  openFiles: number | null
  openFilesLimit: number | null
  residentMb: number | null
}

/** A process that has ended is left out. */
export type ReadGenerator = (pids: readonly number[]) => Promise<GeneratorSample>
