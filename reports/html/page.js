/* Runs in the report's page: the filter of the rules, and the charts. Plain browser script, no module. */
/* global uPlot */
;(() => {
  const data = JSON.parse(document.getElementById('data').textContent)
  const dark = matchMedia('(prefers-color-scheme: dark)')

  enableFilter()
  if (data !== null) {
    describeWindows()
    drawCharts()
    dark.addEventListener('change', drawCharts)
  }

  function enableFilter() {
    const bar = document.querySelector('.filter')
    if (bar === null) return
    bar.hidden = false
    bar.addEventListener('click', (event) => {
      const chosen = event.target.closest('button')
      if (chosen === null) return
      for (const button of bar.querySelectorAll('button')) {
        button.setAttribute('aria-pressed', String(button === chosen))
      }
      for (const row of document.querySelectorAll('tr[data-verdict]')) {
        row.hidden = chosen.dataset.filter !== 'all' && chosen.dataset.filter !== row.dataset.verdict
      }
    })
  }

  function describeWindows() {
    const quantiles = data.latency.length > 1
    document.getElementById('chart-caption').textContent = quantiles
      ? `A point stands for ${data.windowSeconds} s; a quantile for as long as it takes to have enough requests. Choose a name to show or hide its line.`
      : `Too few requests for any quantile over time: the slowest request in each ${data.windowSeconds} s.`
  }

  function drawCharts() {
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
    const onlyMax = data.latency.length === 1
    const latencyColours = { p50: 'p50-line', p95: 'p95-line', p99: 'p99-line', max: 'quiet' }
    const latency = data.latency.map((line) => {
      const name = line.label.split(' ')[0]
      return {
        ...line,
        unit: 'ms',
        stroke: colour(latencyColours[name]),
        show: name !== 'max' || onlyMax,
        stepped: name !== 'max',
      }
    })
    const rateColours = { requests: 'p50-line', failed: 'fail', dropped: 'inconclusive' }
    const rates = data.rates.map((line) => ({
      ...line,
      unit: '/s',
      stroke: colour(rateColours[line.label]),
      show: true,
      stepped: false,
    }))
    drawChart('latency-chart', latency, colour)
    drawChart('rate-chart', rates, colour)
  }

  function drawChart(id, lines, colour) {
    const place = document.getElementById(id)
    place.replaceChildren()
    const axis = {
      stroke: colour('text'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
    }
    const options = {
      ...sizeOf(place),
      scales: { x: { time: false }, y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
      cursor: { sync: { key: 'time' }, y: false },
      axes: [
        { ...axis, size: 30, values: (_chart, ticks) => ticks.map(clock) },
        { ...axis, size: 64, values: (_chart, ticks) => ticks.map((tick) => `${tick} ${lines[0].unit}`) },
      ],
      series: [
        { label: 'time', value: (_chart, value) => (value === null ? '–' : clock(value)) },
        ...lines.map((line) => ({
          label: line.label,
          stroke: line.stroke,
          show: line.show,
          width: 1.5,
          points: { show: line.values.length < 60 },
          ...(line.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
          value: (_chart, value) => (value === null ? '–' : `${value} ${line.unit}`),
        })),
      ],
    }
    const chart = new uPlot(options, [data.seconds, ...lines.map((line) => line.values)], place)
    new ResizeObserver(() => {
      // In the next frame: a new size inside the callback would call it again.
      if (place.clientWidth !== chart.width) requestAnimationFrame(() => chart.setSize(sizeOf(place)))
    }).observe(place)
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
