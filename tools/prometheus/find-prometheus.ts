import { findProgram } from '../clients/find-program.ts'

export const PROMETHEUS_REMEDY = 'Install it (Debian: prometheus), or name one in BREAKWATER_PROMETHEUS.'

/** The server that BREAKWATER_PROMETHEUS names, else the first on the PATH; undefined where there is none. */
export function findPrometheus(env: NodeJS.ProcessEnv): string | undefined {
  return env.BREAKWATER_PROMETHEUS || findProgram(['prometheus'], env)
}
