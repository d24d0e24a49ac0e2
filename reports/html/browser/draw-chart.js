/* global uPlot */

import { drawLegend, isShown } from './legend.js'
import { tickText, valueText } from './texts.js'

const charts = new Map()

/**
 * Draws a chart into its element. A chart that is already there and has the same lines and colors only gets new values
 * and keeps its zoom, its cursor and the focus. Fields: x (label, values, textAt(point), text(value),
 * max, sync: a name shared by charts whose cursors move together), unit, logarithmic, lines (label, values, stroke
 * …), bands, items of the legend (label, color, series, textAt(point, chart)), swatches (label, opacity) of its
 * colors, under(chart) to paint below the lines, cursorY and moveUp(chart, step) for a chart read in both directions,
 * width in CSS pixels (default: that of the element).
 */
export function drawChart(spec) {
  const place = document.getElementById(spec.id)
  if (place === null) return
  const drawn = charts.get(spec.id)
  if (drawn?.plot.parentElement === place && drawn.shape === describeShape(spec)) updateChart(drawn, spec)
  else createChart(place, spec)
}

function createChart(place, spec) {
  const focused = findFocus(place)
  const drawn = { spec, shape: describeShape(spec) }
  charts.get(spec.id)?.chart.destroy()
  charts.set(spec.id, drawn)
  place.replaceChildren()
  const plot = document.createElement('div')
  plot.className = 'plot'
  place.append(plot)
  const legend = drawLegend({
    place,
    id: spec.id,
    items: spec.items,
    swatches: spec.swatches ?? [],
    onToggle: ({ series }, show) => {
      for (const index of series) drawn.chart.setSeries(index, { show })
    },
  })
  const setSlider = makeSlider({
    element: plot,
    title: place.dataset.title ?? '',
    countPoints: () => drawn.spec.x.values.length,
    move: (point) => moveCursor(drawn, point),
    moveUp: spec.moveUp && ((step) => drawn.spec.moveUp(drawn.chart, step)),
  })
  const read = () => {
    const { spec, chart } = drawn
    const { idx } = chart.cursor
    const isOn = chart.cursor.left >= 0 && idx !== null && idx !== undefined
    const formatItem = (item) => (isShown(spec.id, item) ? item.textAt(idx, chart) : '')
    const texts = isOn ? spec.items.map(formatItem) : undefined
    legend.setTexts(texts)
    if (isOn && plot === document.activeElement) setSlider(idx, describePoint(spec, texts))
  }
  const chart = new uPlot(buildOptions(drawn, plot, read), chartValues(spec), plot)
  Object.assign(drawn, { plot, legend, chart, read })
  if (spec.width === undefined) followSize(plot, chart)
  place.querySelectorAll(FOCUSABLE)[focused]?.focus({ preventScroll: true })
}

const FOCUSABLE = '.plot, .legend button'

/** The place of the focus among the parts of a chart; -1 if it is elsewhere. */
function findFocus(place) {
  return [...place.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement)
}

/** Everything that only a new chart can change. */
function describeShape({ id, unit, logarithmic, lines, items, bands, color, width }) {
  const strokes = lines.map(({ values: _values, ...line }) => line)
  const names = items.map(({ label, series }) => [label, series])
  return JSON.stringify([id, unit, logarithmic, strokes, names, bands, color('text'), width])
}

function chartValues({ x, lines }) {
  return [x.values, ...lines.map((line) => line.values)]
}

function updateChart(drawn, spec) {
  const { chart, plot, legend } = drawn
  const { min, max } = chart.scales.x
  const isZoomed = !isWhole(drawn.spec.x, min, max)
  const point = plot === document.activeElement ? chart.cursor.idx : null
  drawn.spec = spec
  legend.setSwatches(spec.swatches ?? [])
  plot.setAttribute('aria-valuemax', String(spec.x.values.length))
  chart.setData(chartValues(spec), !isZoomed)
  if (isZoomed) chart.setScale('x', { min, max })
  // uPlot computes its new scales in a microtask of its own.
  queueMicrotask(() => {
    if (typeof point === 'number') moveCursor(drawn, point)
    else drawn.read()
  })
}

function moveCursor({ chart, spec }, point) {
  chart.setCursor(computeCursorPosition(chart, spec, point), true, true)
}

function computeCursorPosition(chart, { x }, point) {
  if (point === null) return { left: -10, top: -10 }
  const top = chart.cursor.top >= 0 ? chart.cursor.top : chart.over.clientHeight / 2
  return { left: chart.valToPos(x.values[point], 'x'), top }
}

function describePoint({ items }, texts) {
  const shown = items.map(({ label }, place) =>
    texts[place] === '' ? '' : `${label} ${texts[place]}`.trim(),
  )
  return shown.filter((text) => text !== '').join(', ')
}

/** Functions read `drawn.spec`, which is replaced when the values are. */
function buildOptions(drawn, plot, read) {
  const { spec } = drawn
  const { x, unit, logarithmic, lines, color } = spec
  const axis = {
    stroke: color('text'),
    grid: { stroke: color('line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  }
  return {
    ...computeSize(spec.width ?? plot.clientWidth),
    scales: {
      x: { time: false, range: (_chart, least, greatest) => computeRangeX(drawn.spec.x, least, greatest) },
      y: logarithmic
        ? {
            distr: 3,
            range: (_chart, least, greatest) =>
              drawn.spec.y?.range() ?? [(least || 1) / 1.15, (greatest || 10) * 1.15],
          }
        : { range: (_chart, _least, greatest) => [0, greatest > 0 ? greatest * 1.08 : 1] },
    },
    legend: { show: false },
    cursor: {
      y: spec.cursorY === true,
      points: { show: spec.cursorY !== true },
      ...(x.sync ? { sync: { key: x.sync } } : {}),
    },
    axes: [
      {
        ...axis,
        size: 30,
        ...(x.steps === undefined ? {} : { incrs: x.steps }),
        ...(spec.x.grid === false ? { grid: { show: false } } : {}),
        values: (_chart, ticks) => ticks.map(x.text),
      },
      {
        ...axis,
        size: 64,
        ...(spec.y?.grid === false ? { grid: { show: false } } : {}),
        ...(logarithmic
          ? {
              splits: (_chart, _axis, least, greatest) => logTicks(least, greatest),
              filter: (_chart, ticks) => ticks,
            }
          : {}),
        values: (_chart, ticks) => ticks.map((tick) => tickText(tick, unit)),
      },
    ],
    series: [{}, ...lines.map((line, place) => buildSeries(spec, line, place + 1))],
    bands: spec.bands ?? [],
    hooks: {
      drawClear: [(chart) => drawn.spec.under?.(chart)],
      setCursor: [read],
    },
  }
}

function buildSeries({ id, items }, { values: _values, ...line }, index) {
  const item = items.find(({ series }) => series.includes(index))
  return { width: 1.5, show: item === undefined || isShown(id, item), ...line }
}

/** The whole range until the reader zooms in. */
function computeRangeX({ values, max, fromZero }, least, greatest) {
  const isAll = isWhole({ values }, least, greatest)
  if (isAll && max !== undefined) return [0, max]
  return isAll && fromZero ? [0, greatest * 1.08 || 1] : [least, greatest]
}

function isWhole({ values }, least, greatest) {
  return least === null || (least <= values[0] && greatest >= values.at(-1))
}

function computeSize(width) {
  return { width, height: width < 600 ? 200 : 240 }
}

function followSize(plot, chart) {
  new ResizeObserver(() => {
    const width = plot.clientWidth
    if (!plot.isConnected || width === 0 || width === chart.width) return
    // Wait for the next frame: a new size inside the callback would call it again.
    requestAnimationFrame(() => chart.setSize(computeSize(width)))
  }).observe(plot)
}

export function valueUnder(values, unit) {
  return (point) => valueText(values[point], unit)
}

const LOG_STEPS = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]]
const LOG_TICKS_MIN = 4

/** Ticks of a logarithmic axis: powers of ten, plus round numbers between them if those are few. */
function logTicks(least, greatest) {
  for (const steps of LOG_STEPS) {
    const ticks = logTicksBy(steps, least, greatest)
    if (ticks.length >= LOG_TICKS_MIN) return ticks
  }
  // The whole axis spans less than a factor of three.
  const step = niceStep((greatest - least) / LOG_TICKS_MIN)
  const first = Math.ceil(least / step)
  return Array.from({ length: Math.max(0, Math.floor(greatest / step) - first + 1) }, (_, place) =>
    Number(((first + place) * step).toPrecision(6)),
  )
}

function logTicksBy(steps, least, greatest) {
  const ticks = []
  for (let power = Math.floor(Math.log10(least)); 10 ** power <= greatest; power += 1) {
    for (const step of steps) {
      const tick = Number((step * 10 ** power).toPrecision(6))
      if (tick >= least && tick <= greatest) ticks.push(tick)
    }
  }
  return ticks
}

function niceStep(atLeast) {
  const power = 10 ** Math.floor(Math.log10(atLeast))
  return power * ([1, 2, 5].find((step) => step * power >= atLeast) ?? 10)
}

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
function makeSlider({ element, title, countPoints, move, moveUp }) {
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
