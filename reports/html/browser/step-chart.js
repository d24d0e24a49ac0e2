import { valueUnder } from './draw-chart.js'

export function stepChart({ id, x, unit, logarithmic, lines }, color) {
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
