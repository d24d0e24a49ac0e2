/** What windows hold, and how many there may be. */
export type WindowKind<Content> = {
  windowsMax: number
  create: () => Content
  /** Adds what a window holds to another. */
  join: (into: Content, from: Content) => void
}

/** A run in windows of equal width. A window's index is its start in Unix seconds over the width. */
export type Windows<Content> = {
  kind: WindowKind<Content>
  /** The width. */
  seconds: number
  byIndex: Map<number, Content>
}

/** Unix seconds: the first and the last that hold anything. */
export type Span = { firstSecond: number; lastSecond: number }

/** None yet, a second wide. */
export function createWindows<Content>(kind: WindowKind<Content>): Windows<Content> {
  return { kind, seconds: 1, byIndex: new Map() }
}

/**
 * The window of a second. Where that makes one window too many, all are joined two by two first: so the memory that a run
 * takes does not grow with its length.
 */
export function windowAt<Content>(windows: Windows<Content>, second: number): Content {
  for (;;) {
    const index = Math.floor(second / windows.seconds)
    const found = windows.byIndex.get(index)
    if (found !== undefined) return found
    if (windows.byIndex.size < windows.kind.windowsMax) {
      const made = windows.kind.create()
      windows.byIndex.set(index, made)
      return made
    }
    joinByTwo(windows)
  }
}

/** In place: of each two the first takes in the other, as what is read holds thousands of them. */
function joinByTwo<Content>(windows: Windows<Content>): void {
  const byIndex = new Map<number, Content>()
  for (const [index, window] of windows.byIndex) {
    const wideIndex = Math.floor(index / 2)
    const first = byIndex.get(wideIndex)
    if (first === undefined) byIndex.set(wideIndex, window)
    else windows.kind.join(first, window)
  }
  windows.seconds *= 2
  windows.byIndex = byIndex
}

/** The same run in windows `factor` times as wide. */
export function widened<Content>(windows: Windows<Content>, factor: number): Windows<Content> {
  const { kind } = windows
  const byIndex = new Map<number, Content>()
  for (const [index, window] of windows.byIndex) {
    const wideIndex = Math.floor(index / factor)
    let wide = byIndex.get(wideIndex)
    if (wide === undefined) {
      wide = kind.create()
      byIndex.set(wideIndex, wide)
    }
    kind.join(wide, window)
  }
  return { kind, seconds: windows.seconds * factor, byIndex }
}

/** How many seconds of a window lie within the run: fewer than its width at either end. */
export function secondsCovered(
  windowSeconds: number,
  index: number,
  { firstSecond, lastSecond }: Span,
): number {
  const start = Math.max(index * windowSeconds, firstSecond)
  const end = Math.min((index + 1) * windowSeconds, lastSecond + 1)
  return end - start
}
