import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Where this project keeps what takes its time to build or to fetch, for all its checkouts. */
// https://specifications.freedesktop.org/basedir-spec: a relative XDG_CACHE_HOME is to be ignored.
/**
 * `$XDG_CACHE_HOME/breakwater`, else `~/.cache/breakwater`; a relative XDG_CACHE_HOME is passed over, as its standard
 * asks.
 */
export function cacheFolder({ XDG_CACHE_HOME: xdg, HOME: home }: NodeJS.ProcessEnv): string {
  return join(xdg && isAbsolute(xdg) ? xdg : join(home || homedir(), '.cache'), 'breakwater')
}
