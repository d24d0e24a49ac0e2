import { OWN_ROUTE_GROUPS, type SeriesPoint } from '../../contract/series.ts'

/** Whether a point is of what a scenario asks of the stub's control API, or of a signer: it says nothing about the target. */
export function isOwn({ tags }: SeriesPoint): boolean {
  return tags.route_group !== undefined && OWN.has(tags.route_group)
}

const OWN: ReadonlySet<string> = new Set(OWN_ROUTE_GROUPS)
