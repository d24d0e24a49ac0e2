/** How far a key moves along a chart: in points, of so many. */
const KEY_STEPS = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  PageUp: (points) => -Math.ceil(points / 10),
  PageDown: (points) => Math.ceil(points / 10),
  Home: (points) => -points,
  End: (points) => points,
}

/**
 * Makes a chart a slider over its points, so that keys move its cursor, and what is under it can be heard. `move` is called
 * with a point, or null to take the cursor away, and `moveUp` with 1 or -1. Answers how to tell point and text.
 */
export function makeSlider({ element, title, points, move, moveUp }) {
  let at = null
  element.tabIndex = 0
  element.setAttribute('role', 'slider')
  element.setAttribute('aria-label', `${title}: the point to read`)
  element.setAttribute('aria-valuemin', '1')
  element.setAttribute('aria-valuemax', String(points))
  const tell = (point, text) => {
    at = point
    element.setAttribute('aria-valuenow', String((point ?? 0) + 1))
    element.setAttribute('aria-valuetext', text)
  }
  tell(null, 'none yet: arrow keys choose one')
  element.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const up = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    const step = KEY_STEPS[event.key]?.(points)
    if (event.key === 'Escape') move(null)
    else if (up !== undefined && moveUp !== undefined && at !== null) moveUp(up)
    else if (step !== undefined) move(within(points, (at ?? (step > 0 ? -1 : points)) + step))
    else return
    event.preventDefault()
  })
  element.addEventListener('blur', () => move(null))
  return tell
}

function within(points, point) {
  return Math.min(points - 1, Math.max(0, point))
}
