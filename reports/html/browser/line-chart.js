import { valueUnder } from './draw-chart.js'
import { timeAxis, timeItems, trialShades } from './time-axis.js'

/** Plain lines over time; `colours` are names of colours by place. */
export function lineChart({ id, time, data, lines, unit, colours, colour }) {
  const strokes = colours.map(colour)
  return {
    id,
    unit,
    logarithmic: false,
    colour,
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
        colour: strokes[place],
        series: [place + 1],
        textAt: valueUnder(values, unit),
      })),
    ],
    under: trialShades(time, colour),
  }
}
