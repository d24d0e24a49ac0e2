import type { Course } from '../series/course.ts'
import { ALL_ROUTES } from '../series/group-routes.ts'
import { REQUEST_WINDOWS, type RequestWindow } from '../series/request-windows.ts'
import type { Windows } from '../series/windows.ts'

/** Requests of a group over time. */
export type GroupCourse = {
  /** `*` are all requests. */
  name: string
  windows: Windows<RequestWindow>
  /** Rising: of the windows that are drawn. One without content stands where nothing was measured, so that no line crosses it. */
  indexes: number[]
}

/** All requests first, then each group by name, where there are several. None where nothing was measured. */
export function groupCourses(course: Course): GroupCourse[] {
  const { requests, groups, groupNames } = course
  if (requests.byIndex.size === 0) return []
  const all = { name: ALL_ROUTES, windows: requests, indexes: indexesWithGaps([...requests.byIndex.keys()]) }
  if (groupNames.size < 2) return [all]
  const measured = measuredIndexes(course)
  const indexes = indexesWithGaps([...measured])
  return [
    all,
    ...[...groupNames].sort().map((name) => ({ name, windows: windowsOf(name, groups, measured), indexes })),
  ]
}

/** Where anything was measured, in the windows of groups: there a group that asked for nothing has a rate of 0. */
function measuredIndexes({ requests, groups }: Course): Set<number> {
  const indexes = new Set(groups.byIndex.keys())
  for (const index of requests.byIndex.keys()) {
    indexes.add(Math.floor((index * requests.seconds) / groups.seconds))
  }
  return indexes
}

function windowsOf(
  name: string,
  groups: Course['groups'],
  measured: ReadonlySet<number>,
): Windows<RequestWindow> {
  const byIndex = new Map<number, RequestWindow>()
  for (const index of measured) {
    byIndex.set(index, groups.byIndex.get(index)?.get(name) ?? REQUEST_WINDOWS.create())
  }
  return { kind: REQUEST_WINDOWS, seconds: groups.seconds, byIndex }
}

/** After a window without a successor stands an empty one. */
export function indexesWithGaps(indexes: readonly number[]): number[] {
  const rising = [...indexes].sort((a, b) => a - b)
  return rising.flatMap((index, position) => {
    const next = rising[position + 1]
    return next === undefined || next === index + 1 ? [index] : [index, index + 1]
  })
}
