/* global uPlot */

import { drawChart, valueUnder } from './draw-chart.js'
import { heatChart } from './heat-chart.js'
import { rangeText } from './texts.js'
import { timeAxis, timeItems, trialShades } from './time-axis.js'

const RATES = { unit: '/s', colors: ['p50-line', 'fail', 'inconclusive'] }
const DELAYS = { unit: 'ms', colors: ['p50-line', 'p95-line', 'inconclusive', 'p99-line'] }
const SOCKETS = { unit: '/s', colors: ['quiet', 'p50-line', 'inconclusive', 'fail'] }
const MESSAGES = { unit: '/s', colors: ['p50-line'] }

/** Draws all charts from `getData()`. Returns a function that draws them again, for new data and a new page. */
export function enableCharts(getData) {
  /** `width` in CSS pixels (default: that of the page). */
  const drawAll = (width) => {
    const style = getComputedStyle(document.documentElement)
    const color = (name) => style.getPropertyValue(`--${name}`).trim()
    const { time, steps } = getData()
    const over = time === null ? [] : timeCharts(time, time.groups[groups.chosen()], color)
    for (const spec of [...over, ...steps.map((chart) => stepChart(chart, color))])
      drawChart({ ...spec, width })
  }
  const groups = enableGroups(
    () => getData().time?.groups.map(({ name }) => name) ?? [],
    () => drawAll(),
  )
  enablePrinting(drawAll)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawAll())
  drawAll()
  return () => {
    groups.follow()
    drawAll()
  }
}

function timeCharts(time, group, color) {
  describeWindows(group)
  const lines = (id, data, { unit, colors }, key) =>
    data[key].length === 0 ? [] : [lineChart({ id, time, data, lines: data[key], unit, colors, color })]
  return [
    latencyChart({ time, group, color }),
    ...(group.heat === null ? [] : [heatChart({ time, group, color })]),
    ...lines('rate-chart', group, RATES, 'rates'),
    ...(time.feed === null ? [] : lines('feed-delay-chart', time.feed, DELAYS, 'delay')),
    ...(time.feed === null ? [] : lines('sockets-chart', time.feed, SOCKETS, 'sockets')),
    ...(time.feed === null ? [] : lines('messages-chart', time.feed, MESSAGES, 'messages')),
  ]
}

function describeWindows({ latency, windowSeconds }) {
  document.getElementById('chart-caption').textContent =
    latency.lines.length > 1
      ? `Each point covers ${windowSeconds} s; a percentile covers longer if it needs more requests.`
      : `Too few requests for percentiles over time: the line shows the slowest request in each ${windowSeconds} s.`
}

function lineChart({ id, time, data, lines, unit, colors, color }) {
  const strokes = colors.map(color)
  return {
    id,
    unit,
    logarithmic: false,
    color,
    x: timeAxis(time, data),
    lines: lines.map(({ values }, place) => ({
      values,
      stroke: strokes[place],
      points: { show: values.length < 60 },
    })),
    items: [
      ...timeItems(time, data),
      ...lines.map(({ label, values }, place) => ({
        label,
        color: strokes[place],
        series: [place + 1],
        textAt: valueUnder(values, unit),
      })),
    ],
    under: trialShades(time, color),
  }
}

function stepChart({ id, x, unit, logarithmic, lines }, color) {
  return {
    id,
    unit,
    logarithmic,
    color,
    x: {
      values: x.values,
      fromZero: true,
      text: String,
      textAt: (point) => `${x.label} ${x.values[point]} ${x.unit}`,
    },
    lines: lines.map((line) => ({
      values: line.values,
      stroke: color(line.color),
      ...(line.drawn === 'points'
        ? { paths: () => null, points: { show: true, size: 8, fill: color(line.color) } }
        : { points: { show: false }, pxAlign: 0 }),
      ...(line.drawn === 'dashes' ? { dash: [6, 4] } : {}),
    })),
    items: [
      { label: x.label, series: [], textAt: (point) => `${x.values[point]} ${x.unit}` },
      ...lines.map((line, place) => ({
        label: line.label,
        color: color(line.color),
        sign: line.drawn === 'points' ? 'point' : line.drawn === 'dashes' ? 'dashes' : 'line',
        series: [place + 1],
        textAt: valueUnder(line.values, unit),
      })),
    ],
  }
}

const HASH = '#group='

/**
 * Lets the reader select the group of routes whose charts are shown, and keeps the selection in the page's address.
 * `getNames` gives the current groups; `onChange` is called on a new selection. Returns `chosen`, the index of the
 * selected group, and `follow`, which applies the selection to a page that changed.
 */
function enableGroups(getNames, onChange) {
  const findSelect = () => document.getElementById('group')
  const chosen = () => Number(findSelect()?.value ?? 0)
  const show = (select) => {
    select.closest('.group-choice').hidden = false
    for (const part of document.querySelectorAll('[data-group]'))
      part.hidden = part.dataset.group !== select.value
  }
  const follow = () => {
    const select = findSelect()
    if (select === null) return
    const place = getNames().findIndex((name) => location.hash === HASH + encoded(name))
    if (place !== -1) select.value = String(place)
    show(select)
  }
  document.addEventListener('change', ({ target }) => {
    if (target !== findSelect()) return
    history.replaceState(null, '', HASH + encoded(getNames()[chosen()]))
    show(target)
    onChange()
  })
  addEventListener('hashchange', () => {
    follow()
    onChange()
  })
  follow()
  return { chosen, follow }
}

/** An address cannot hold a lone surrogate, so it becomes a question mark. */
function encoded(name) {
  return encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '?'))
}

/** CSS pixels: fits between the margins of A4 and US letter. */
const PAPER_WIDTH = 680

/**
 * Prints in the light theme and at paper width: calls `redraw` with that width before a page is printed, and without
 * one afterwards. During printing the root has `data-print` for the styles.
 */
function enablePrinting(redraw) {
  const { dataset } = document.documentElement
  addEventListener('beforeprint', () => {
    dataset.print = ''
    redraw(PAPER_WIDTH)
  })
  addEventListener('afterprint', () => {
    delete dataset.print
    redraw()
  })
}

const COLORS = { p50: 'p50-line', p95: 'p95-line', p99: 'p99-line', max: 'quiet' }

/** Opacity of each band, the widest first: inner bands are drawn over it. */
const BAND_OPACITIES = [0.16, 0.24]

function latencyChart({ time, group, color }) {
  const { logarithmic, lines, bands } = group.latency
  const findLine = (name) => lines.find((line) => line.name === name)
  const drawn = lines.filter(({ name }) => COLORS[name] !== undefined)
  const edges = bands.flatMap(([low, high]) => [findLine(high), findLine(low)])
  return {
    id: 'latency-chart',
    unit: 'ms',
    logarithmic,
    color,
    x: timeAxis(time, group),
    lines: [
      ...edges.map(({ values }) => ({ values, ...STEPPED, width: 0, points: { show: false } })),
      ...drawn.map(({ name, values }) => ({
        values,
        stroke: color(COLORS[name]),
        ...(name === 'max' ? {} : STEPPED),
        points: { show: values.length < 60 },
      })),
    ],
    bands: bands.map((_band, place) => ({
      series: [2 * place + 1, 2 * place + 2],
      fill: withOpacity(color('p50-line'), BAND_OPACITIES[place]),
    })),
    items: [
      ...timeItems(time, group),
      ...drawn.map(({ name, label, values }, place) => ({
        label,
        color: color(COLORS[name]),
        series: [edges.length + place + 1],
        hidden: name === 'max' && lines.length > 1,
        textAt: valueUnder(values, 'ms'),
      })),
      ...bands.map(([low, high], place) => ({
        label: `${low} to ${high}`,
        sign: 'area',
        color: color('p50-line'),
        opacity: BAND_OPACITIES[place] * 2,
        series: [2 * place + 1, 2 * place + 2],
        textAt: (point) => rangeText(findLine(low).values[point], findLine(high).values[point], 'ms'),
      })),
    ],
    under: trialShades(time, color),
  }
}

/** A percentile applies to the whole of its window. */
const STEPPED = { paths: uPlot.paths.stepped({ align: 1 }) }

/** `color` is #rrggbb. */
function withOpacity(color, opacity) {
  return `${color}${Math.round(opacity * 255)
    .toString(16)
    .padStart(2, '0')}`
}
