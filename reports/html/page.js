/* Runs in the report's page: the charts. Plain browser script, no module. */
/* global uPlot */
;(() => {
  const { time, steps } = JSON.parse(document.getElementById('data').textContent)
  const dark = matchMedia('(prefers-color-scheme: dark)')

  if (time !== null) describeWindows()
  drawCharts()
  dark.addEventListener('change', drawCharts)

  function describeWindows() {
    const quantiles = time.latency.length > 1
    document.getElementById('chart-caption').textContent = quantiles
      ? `A point stands for ${time.windowSeconds} s; a quantile for as long as it takes to have enough requests. Choose a name to show or hide its line.`
      : `Too few requests for any quantile over time: the slowest request in each ${time.windowSeconds} s.`
  }

  function drawCharts() {
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
    const charts = [
      ...(time === null ? [] : timeCharts(colour)),
      ...steps.map((chart) => stepChart(chart, colour)),
    ]
    for (const chart of charts) drawChart(chart, colour)
  }

  /** Latency, and requests and errors, over the time of the run. */
  function timeCharts(colour) {
    const onlyMax = time.latency.length === 1
    const latencyColours = { p50: 'p50-line', p95: 'p95-line', p99: 'p99-line', max: 'quiet' }
    const latency = time.latency.map((line) => {
      const name = line.label.split(' ')[0]
      const stepped = name !== 'max' ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}
      return {
        ...lineOf(line, colour(latencyColours[name])),
        show: name !== 'max' || onlyMax,
        ...stepped,
      }
    })
    const rateColours = { requests: 'p50-line', failed: 'fail', dropped: 'inconclusive' }
    const rates = time.rates.map((line) => lineOf(line, colour(rateColours[line.label])))
    const x = { label: 'time', values: time.seconds, text: clock, sync: 'time' }
    return [
      { id: 'latency-chart', x, unit: 'ms', lines: latency },
      { id: 'rate-chart', x, unit: '/s', lines: rates },
    ]
  }

  function lineOf({ label, values }, stroke) {
    return { label, values, stroke, points: { show: values.length < 60 } }
  }

  /** Over the loads of a search for capacity. */
  function stepChart({ id, x, unit, logarithmic, lines }, colour) {
    return {
      id,
      unit,
      logarithmic,
      x: { label: x.label, values: x.values, text: (value) => `${value} ${x.unit}`, tick: String },
      lines: lines.map((line) => ({
        label: line.label,
        values: line.values,
        stroke: colour(line.colour),
        ...(line.drawn === 'points'
          ? { paths: () => null, points: { show: true, size: 8, fill: colour(line.colour) } }
          : { points: { show: false }, pxAlign: 0 }),
        ...(line.drawn === 'dashes' ? { dash: [6, 4] } : {}),
      })),
    }
  }

  function drawChart({ id, x, unit, logarithmic, lines }, colour) {
    const place = document.getElementById(id)
    place.replaceChildren()
    const axis = {
      stroke: colour('text'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
    }
    const fromZero = { range: (_chart, _min, max) => [0, max > 0 ? max * 1.08 : 1] }
    const options = {
      ...sizeOf(place),
      scales: {
        x: { time: false, ...(x.tick ? fromZero : {}) },
        y: logarithmic ? { distr: 3 } : fromZero,
      },
      cursor: { y: false, ...(x.sync ? { sync: { key: x.sync } } : {}) },
      axes: [
        { ...axis, size: 30, values: (_chart, ticks) => ticks.map(x.tick ?? x.text) },
        {
          ...axis,
          size: 64,
          values: (_chart, ticks) => ticks.map((tick) => tickText(tick, unit)),
        },
      ],
      series: [
        { label: x.label, value: (_chart, value) => (value === null ? '–' : x.text(value)) },
        ...lines.map(({ values: _values, ...line }) => ({
          width: 1.5,
          value: (_chart, value) => (value === null ? '–' : `${value} ${unit}`),
          ...line,
        })),
      ],
    }
    const chart = new uPlot(options, [x.values, ...lines.map((line) => line.values)], place)
    new ResizeObserver(() => {
      // In the next frame: a new size inside the callback would call it again.
      if (place.clientWidth !== chart.width) requestAnimationFrame(() => chart.setSize(sizeOf(place)))
    }).observe(place)
  }

  /** A logarithmic axis names some of its ticks only. */
  function tickText(tick, unit) {
    if (tick === null) return ''
    return unit === 'ms' && tick >= 1000 ? `${tick / 1000} s` : `${tick} ${unit}`
  }

  function sizeOf(place) {
    return { width: place.clientWidth, height: 240 }
  }

  function clock(seconds) {
    const whole = Math.floor(seconds)
    const pad = (number) => String(number).padStart(2, '0')
    const minutes = `${Math.floor(whole / 60) % 60}`
    const hours = Math.floor(whole / 3600)
    return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
  }
})()
