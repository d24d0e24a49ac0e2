import { drawChart } from './draw-chart.js'
import { enableGroups } from './groups.js'
import { heatChart } from './heat-chart.js'
import { latencyChart } from './latency-chart.js'
import { lineChart } from './line-chart.js'
import { enablePrinting } from './printing.js'
import { stepChart } from './step-chart.js'

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
