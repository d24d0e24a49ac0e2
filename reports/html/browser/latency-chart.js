/* global uPlot */
import { valueUnder } from './draw-chart.js'
import { rangeText } from './texts.js'
import { timeAxis, timeItems, trialShades } from './time-axis.js'

const COLORS = { p50: 'p50-line', p95: 'p95-line', p99: 'p99-line', max: 'quiet' }

/** Opacity of each band, the widest first: inner bands are drawn over it. */
const BAND_OPACITIES = [0.16, 0.24]

export function latencyChart({ time, group, color }) {
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
