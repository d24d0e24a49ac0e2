import type { Report } from '../../contract/report.ts'
import { figure } from '../objective-text.ts'
import { cell, html, type Markup, table } from './markup.ts'

const TRACES_SHOWN_MAX = 30

/** The slowest traced requests of a run, to look up in the traces of the target. */
export function tracesTable(traces: Report['traces']): Markup {
  if (traces.length === 0) return html``
  const shown = traces.slice(0, TRACES_SHOWN_MAX)
  return html`<h3>Slowest traced requests</h3>
<p class="quiet">Some requests carry a <code>traceparent</code> header. Search the traces of the target for these ids. Parts are what the target reported in
<code>Server-Timing</code>, in milliseconds.</p>
${table({
  kind: 'figures-table',
  caption: 'Slowest traced requests',
  columns: ['Route', 'Time', 'Status', 'Response, ms', 'Parts', 'Trace id'],
  rows: shown.map(
    ({
      name,
      at,
      status,
      ms,
      parts,
      traceId,
    }) => html`<tr><th scope="row"><bdi>${name}</bdi></th>${cell('Time', at.slice(11, 19))}${cell('Status', status)}${cell('Response, ms', figure(ms), 'number')}${cell('Parts', partsText(parts))}${cell('Trace id', html`<code>${traceId}</code>`)}</tr>
`,
  ),
})}
${traces.length > shown.length ? html`<p class="quiet">The ${shown.length} slowest of ${traces.length}; report.json lists all.</p>` : html``}`
}

function partsText(parts: Report['traces'][number]['parts']): string {
  return parts.length === 0 ? '–' : parts.map(({ name, ms }) => `${name} ${figure(ms)}`).join(', ')
}
