import { valueUnder } from './draw-chart.js'
import { timeAxis, timeItems, trialShades } from './time-axis.js'

export function lineChart({ id, time, data, lines, unit, colors, color }) {
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
