/** How many points a key moves, given the number of points. */
const KEY_STEPS = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  PageUp: (points) => -Math.ceil(points / 10),
  PageDown: (points) => Math.ceil(points / 10),
  Home: (points) => -points,
  End: (points) => points,
}

/**
 * Makes a chart a slider over its points: keys move its cursor, and screen readers read the current value. `move` is
 * called with a point (null removes the cursor), `moveUp` with 1 or -1. `countPoints` gives the current number of
 * points. Returns a function that sets point and text.
 */
export function makeSlider({ element, title, countPoints, move, moveUp }) {
  let at = null
  element.tabIndex = 0
  element.setAttribute('role', 'slider')
  element.setAttribute('aria-label', `${title}: the point to read`)
  element.setAttribute('aria-valuemin', '1')
  element.setAttribute('aria-valuemax', String(countPoints()))
  const setValue = (point, text) => {
    at = point
    element.setAttribute('aria-valuenow', String((point ?? 0) + 1))
    element.setAttribute('aria-valuetext', text)
  }
  setValue(null, 'no point selected: use the arrow keys')
  element.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const points = countPoints()
    const up = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    const step = KEY_STEPS[event.key]?.(points)
    if (event.key === 'Escape') move(null)
    else if (up !== undefined && moveUp !== undefined && at !== null) moveUp(up)
    else if (step !== undefined) move(within(points, (at ?? (step > 0 ? -1 : points)) + step))
    else return
    event.preventDefault()
  })
  element.addEventListener('blur', () => move(null))
  return setValue
}

function within(points, point) {
  return Math.min(points - 1, Math.max(0, point))
}
