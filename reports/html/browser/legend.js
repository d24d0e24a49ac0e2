/** Lines that the reader has shown or hidden, by chart and name: kept when the charts are drawn again. */
const chosen = new Map()

export function isShown(id, { label, hidden = false }) {
  return chosen.get(`${id}\n${label}`) ?? !hidden
}

/**
 * Draws the names of a chart's lines, each with its value under the cursor. A click shows or hides a line and calls
 * `onToggle` with the item and its new state. Returns `setTexts`, which sets the values (texts by item), and
 * `setSwatches`.
 */
export function drawLegend({ place, id, items, swatches, onToggle }) {
  const legend = document.createElement('div')
  legend.className = 'legend'
  const values = items.map((item) => {
    const value = document.createElement('span')
    value.className = 'value'
    legend.append(legendItem({ id, item, value, onToggle }), ' ')
    return value
  })
  let scale = createScale(swatches)
  legend.append(scale)
  place.append(legend)
  return {
    setTexts(texts) {
      for (const [place, value] of values.entries()) value.textContent = texts?.[place] ?? ''
    },
    setSwatches(swatches) {
      const fresh = createScale(swatches)
      scale.replaceWith(fresh)
      scale = fresh
    },
  }
}

function legendItem({ id, item, value, onToggle }) {
  const entry = document.createElement(item.series.length > 0 ? 'button' : 'span')
  entry.append(...(item.color === undefined ? [] : [createSign(item)]), `${item.label} `, value)
  if (item.series.length === 0) return entry
  entry.type = 'button'
  entry.setAttribute('aria-pressed', String(isShown(id, item)))
  entry.addEventListener('click', () => {
    const show = !isShown(id, item)
    chosen.set(`${id}\n${item.label}`, show)
    entry.setAttribute('aria-pressed', String(show))
    onToggle(item, show)
  })
  return entry
}

function createScale(swatches) {
  const scale = document.createElement('span')
  scale.className = 'scale'
  if (swatches.length === 0) return scale
  scale.append(
    'requests: ',
    ...swatches.flatMap((swatch) => [createSign({ ...swatch, sign: 'area' }), `${swatch.label} `]),
  )
  return scale
}

function createSign({ sign = 'line', color, opacity = 1 }) {
  const element = document.createElement('i')
  element.className = `sign ${sign}`
  element.style.color = color
  element.style.opacity = opacity
  return element
}
