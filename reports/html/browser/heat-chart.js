import { figure } from './texts.js'
import { timeAxis, timeItems, trialShades } from './time-axis.js'

const OPACITY_MIN = 0.22

export function heatChart({ time, group, color }) {
  const { heat, seconds, windowSeconds } = group
  const cells = countCells(heat)
  const shade = trialShades(time, color)
  return {
    id: 'heat-chart',
    unit: 'ms',
    logarithmic: true,
    color,
    cursorY: true,
    x: { ...timeAxis(time, group), grid: false },
    y: { range: () => [edge(heat, heat.zeros === null ? 0 : -2), edge(heat, heat.rows)], grid: false },
    lines: [{ values: seconds.map(() => null), paths: () => null, points: { show: false } }],
    items: [
      ...timeItems(time, group),
      {
        label: '',
        series: [],
        textAt: (point, chart) => cellText(heat, cells, point, rowUnder(chart, heat)),
      },
    ],
    under: (chart) => {
      shade(chart)
      paint({ chart, heat, cells, seconds, windowSeconds, color: color('heat') })
    },
    moveUp: (chart, step) => {
      const row = Math.min(heat.rows - 1, Math.max(0, (rowUnder(chart, heat) ?? 0) + step))
      const top = chart.valToPos(edge(heat, row + 0.5), 'y')
      chart.setCursor({ left: chart.cursor.left, top }, true, true)
    },
    swatches: buildSwatches(cells.most, color('heat')),
  }
}

function edge({ rowsPerOctave, lowestRow }, row) {
  return 2 ** ((lowestRow + row) / rowsPerOctave)
}

function countCells({ columns, zeros }) {
  const counts = columns.map(
    ([empty = 0, ...counts]) => new Map(counts.map((count, place) => [empty + place, count])),
  )
  const all = [...counts.flatMap((column) => [...column.values()]), ...(zeros ?? [])]
  return {
    counts,
    most: all.reduce((most, count) => Math.max(most, count), 1),
    totals: counts.map((column, place) =>
      [...column.values()].reduce((sum, count) => sum + count, zeros?.[place] ?? 0),
    ),
  }
}

/** Logarithmic, so that one slow request among hundreds is visible. */
function opacity(count, most) {
  return most === 1 ? 1 : OPACITY_MIN + (1 - OPACITY_MIN) * (Math.log(count) / Math.log(most))
}

function paint({ chart, heat, cells, seconds, windowSeconds, color }) {
  const { ctx, bbox } = chart
  const toX = (second) => Math.round(chart.valToPos(second, 'x', true))
  const toY = (row) => Math.round(chart.valToPos(edge(heat, row), 'y', true))
  const tops = Array.from({ length: heat.rows + 1 }, (_, row) => toY(row))
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.fillStyle = color
  for (const [place, second] of seconds.entries()) {
    const left = toX(second)
    const width = Math.max(1, toX(second + windowSeconds) - left)
    for (const [row, count] of cells.counts[place]) {
      if (count === 0) continue
      ctx.globalAlpha = opacity(count, cells.most)
      ctx.fillRect(left, tops[row + 1], width, Math.max(1, tops[row] - tops[row + 1]))
    }
    const zeros = heat.zeros?.[place] ?? 0
    if (zeros === 0) continue
    ctx.globalAlpha = opacity(zeros, cells.most)
    ctx.fillRect(left, toY(-1), width, toY(-2) - toY(-1))
  }
  ctx.restore()
}

/** The row under the cursor; -2 for the row of requests with latency 0; undefined if the cursor has a time only. */
function rowUnder(chart, heat) {
  const isHere = chart.root.matches(':hover') || chart.root.parentElement === document.activeElement
  if (!isHere || chart.cursor.top < 0) return undefined
  const latencyMs = chart.posToVal(chart.cursor.top, 'y')
  const row = Math.floor(Math.log2(latencyMs) * heat.rowsPerOctave) - heat.lowestRow
  if (row >= 0) return Math.min(row, heat.rows - 1)
  return heat.zeros === null ? 0 : -2
}

function cellText(heat, cells, point, row) {
  const total = cells.totals[point]
  if (row === undefined) return `${total} requests`
  const count = row < 0 ? (heat.zeros?.[point] ?? 0) : (cells.counts[point].get(row) ?? 0)
  const range = row < 0 ? 'latency 0' : `${figure(edge(heat, row))} to ${figure(edge(heat, row + 1))} ms`
  return `${range}: ${count} of ${total} requests`
}

function buildSwatches(most, color) {
  const counts = [1, ...[0.25, 0.5, 0.75].map((power) => Math.round(most ** power)), most]
  return [...new Set(counts)].map((count) => ({
    label: String(count),
    color,
    opacity: opacity(count, most),
  }))
}
