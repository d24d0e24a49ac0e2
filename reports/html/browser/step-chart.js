import { valueUnder } from './draw-chart.js'

/** Over the loads of a search for capacity. */
export function stepChart({ id, x, unit, logarithmic, lines }, colour) {
  return {
    id,
    unit,
    logarithmic,
    colour,
    x: {
      values: x.values,
      fromZero: true,
      text: String,
      textAt: (point) => `${x.label} ${x.values[point]} ${x.unit}`,
    },
    lines: lines.map((line) => ({
      values: line.values,
      stroke: colour(line.colour),
      ...(line.drawn === 'points'
        ? { paths: () => null, points: { show: true, size: 8, fill: colour(line.colour) } }
        : { points: { show: false }, pxAlign: 0 }),
      ...(line.drawn === 'dashes' ? { dash: [6, 4] } : {}),
    })),
    items: [
      { label: x.label, series: [], textAt: (point) => `${x.values[point]} ${x.unit}` },
      ...lines.map((line, place) => ({
        label: line.label,
        colour: colour(line.colour),
        sign: line.drawn === 'points' ? 'point' : line.drawn === 'dashes' ? 'dashes' : 'line',
        series: [place + 1],
        textAt: valueUnder(line.values, unit),
      })),
    ],
  }
}
