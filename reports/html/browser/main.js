import { enableCharts } from './charts.js'

const data = JSON.parse(document.getElementById('data').textContent)

enableCharts(() => data)
