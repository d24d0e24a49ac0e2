import { drawChart } from './draw-chart.js'
import { heatChart } from './heat-chart.js'
import { latencyChart } from './latency-chart.js'
import { lineChart, stepChart } from './line-chart.js'

const { time, steps } = JSON.parse(document.getElementById('data').textContent)

const RATES = { unit: '/s', colors: ['p50-line', 'fail', 'inconclusive'] }
const DELAYS = { unit: 'ms', colors: ['p50-line', 'p95-line', 'inconclusive', 'p99-line'] }
const SOCKETS = { unit: '/s', colors: ['quiet', 'p50-line', 'inconclusive', 'fail'] }
const MESSAGES = { unit: '/s', colors: ['p50-line'] }

const chosenGroup = enableGroups(time?.groups.map(({ name }) => name) ?? [], () => drawAll())
enablePrinting(drawAll)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawAll())
drawAll()

/** `width` in CSS pixels (default: that of the page). */
function drawAll(width) {
  const style = getComputedStyle(document.documentElement)
  const color = (name) => style.getPropertyValue(`--${name}`).trim()
  const specs = [...timeCharts(color), ...steps.map((chart) => stepChart(chart, color))]
  for (const spec of specs) drawChart({ ...spec, width })
}

function timeCharts(color) {
  if (time === null) return []
  const group = time.groups[chosenGroup()]
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

const HASH = '#group='

/**
 * Lets the reader select the group of routes whose charts are shown, and keeps the selection in the page's address.
 * Returns a function that gives the index of the selected group. `onChange` is called on a new selection.
 */
export function enableGroups(names, onChange) {
  const select = document.getElementById('group')
  const chosen = () => (select === null ? 0 : Number(select.value))
  if (select === null) return chosen
  const show = () => {
    for (const part of document.querySelectorAll('[data-group]'))
      part.hidden = part.dataset.group !== select.value
  }
  const follow = () => {
    const place = names.findIndex((name) => location.hash === HASH + encoded(name))
    if (place !== -1) select.value = String(place)
    show()
  }
  select.closest('.group-choice').hidden = false
  select.addEventListener('change', () => {
    history.replaceState(null, '', HASH + encoded(names[chosen()]))
    show()
    onChange()
  })
  addEventListener('hashchange', () => {
    follow()
    onChange()
  })
  follow()
  return chosen
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
export function enablePrinting(redraw) {
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
