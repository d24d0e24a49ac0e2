/** The tag `route_group` of a request, by which latency is judged: the first part of its path. */
export function routeGroupOf(path: string): string {
  if (path[0] !== '/') return 'other'
  const end = path.indexOf('/', 1)
  return end === -1 ? path.slice(1) : path.slice(1, end)
}
