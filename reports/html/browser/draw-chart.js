/* global uPlot */
import { drawLegend, isShown } from './legend.js'
import { makeSlider } from './slider.js'
import { tickText, valueText } from './texts.js'
import { logTicks } from './ticks.js'

const charts = new Map()

/**
 * Draws a chart into its element, replacing any earlier one. Fields: x (label, values, textAt(point), text(value),
 * max, sync: a name shared by charts whose cursors move together), unit, logarithmic, lines (label, values, stroke
 * …), bands, items of the legend (label, color, series, textAt(point, chart)), swatches (label, opacity) of its
 * colors, under(chart) to paint below the lines, cursorY and moveUp(chart, step) for a chart read in both directions,
 * width in CSS pixels (default: that of the element).
 */
export function drawChart(spec) {
  const place = document.getElementById(spec.id)
  if (place === null) return
  charts.get(spec.id)?.destroy()
  place.replaceChildren()
  const plot = document.createElement('div')
  plot.className = 'plot'
  place.append(plot)
  const setLegend = drawLegend({
    place,
    id: spec.id,
    items: spec.items,
    swatches: spec.swatches ?? [],
    onToggle: ({ series }, show) => {
      for (const index of series) chart.setSeries(index, { show })
    },
  })
  const setSlider = makeSlider({
    element: plot,
    title: place.dataset.title ?? '',
    points: spec.x.values.length,
    move: (point) => chart.setCursor(computeCursorPosition(chart, spec, point), true, true),
    moveUp: spec.moveUp && ((step) => spec.moveUp(chart, step)),
  })
  const read = () => {
    const { idx } = chart.cursor
    const isOn = chart.cursor.left >= 0 && idx !== null && idx !== undefined
    const formatItem = (item) => (isShown(spec.id, item) ? item.textAt(idx, chart) : '')
    const texts = isOn ? spec.items.map(formatItem) : undefined
    setLegend(texts)
    if (isOn && plot === document.activeElement) setSlider(idx, describePoint(spec, texts))
  }
  const chart = new uPlot(
    buildOptions(spec, plot, read),
    [spec.x.values, ...spec.lines.map((line) => line.values)],
    plot,
  )
  charts.set(spec.id, chart)
  if (spec.width === undefined) followSize(plot, chart)
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

function buildOptions(spec, plot, read) {
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
      x: { time: false, range: (_chart, least, greatest) => computeRangeX(x, least, greatest) },
      y: logarithmic
        ? {
            distr: 3,
            range:
              spec.y?.range ?? ((_chart, least, greatest) => [(least || 1) / 1.15, (greatest || 10) * 1.15]),
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
      drawClear: spec.under === undefined ? [] : [spec.under],
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
  const isAll = least === null || (least <= values[0] && greatest >= values.at(-1))
  if (isAll && max !== undefined) return [0, max]
  return isAll && fromZero ? [0, greatest * 1.08 || 1] : [least, greatest]
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
