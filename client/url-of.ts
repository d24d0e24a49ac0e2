import type { Request } from './send.ts'

/** Nothing secret goes in here: addresses end up in logs. */
export function urlOf(baseUrl: string, { path, query = {} }: Request): string {
  const text = new URLSearchParams(query).toString()
  return `${baseUrl.replace(/\/$/, '')}${path}${text && `?${text}`}`
}
