import { OWN_ROUTE_GROUPS, type SeriesPoint } from '../../contract/series.ts'

/** Whether a point is of what a scenario asks of the stub's control API, or of a signer: it says nothing about the target. */
export function isOwn({ tags }: SeriesPoint): boolean {
  return OWN_ROUTE_GROUPS.some((group) => group === tags.route_group)
}
