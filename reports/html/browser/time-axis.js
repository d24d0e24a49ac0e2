import { clock } from './texts.js'

/** The axis of a chart over the time of the run. Its cursors move together with those of the other charts. */
export function timeAxis(time, { seconds, windowSeconds }) {
  return {
    values: seconds,
    max: time.seconds,
    text: clock,
    textAt: (point) => spanText(seconds[point], Math.min(time.seconds, seconds[point] + windowSeconds)),
    steps: CLOCK_STEPS,
    sync: 'time',
  }
}

const CLOCK_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400, 604_800,
]

function spanText(from, to) {
  return to - from > 1 ? `${clock(from)} to ${clock(to)}` : clock(from)
}

const SHADE_OPACITY = 0.12

export function trialShades({ trials }, color) {
  return (chart) => {
    const { ctx, bbox } = chart
    ctx.save()
    ctx.beginPath()
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    ctx.clip()
    for (const trial of trials) {
      const left = chart.valToPos(trial.from, 'x', true)
      const width = Math.max(1, chart.valToPos(trial.to, 'x', true) - left)
      ctx.fillStyle = color(trial.color)
      ctx.globalAlpha = SHADE_OPACITY
      ctx.fillRect(left, bbox.top, width, bbox.height)
      ctx.globalAlpha = 1
      ctx.fillRect(left, bbox.top, width, Math.max(2, bbox.height / 80))
    }
    ctx.restore()
  }
}

/** The first items of a legend: the time under the cursor and, if there are trials, the trial. */
export function timeItems(time, data) {
  const { textAt } = timeAxis(time, data)
  const at = (second) => time.trials.find(({ from, to }) => second >= from && second < to)
  const trial = {
    label: '',
    series: [],
    textAt: (point) => at(data.seconds[point])?.label ?? 'between trials',
  }
  return [{ label: '', series: [], textAt }, ...(time.trials.length === 0 ? [] : [trial])]
}
