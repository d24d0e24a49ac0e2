/*
 * Plain browser script, no module. Narrow pages lay tables out as blocks, and browsers then drop the table semantics:
 * this restores them as ARIA roles, again when the live view has new rows.
 */
;(() => {
  const ROLES = {
    table: 'table',
    thead: 'rowgroup',
    tbody: 'rowgroup',
    tr: 'row',
    td: 'cell',
    'th[scope=col]': 'columnheader',
    'th[scope=row]': 'rowheader',
  }

  const restore = () => {
    for (const table of document.querySelectorAll('main table')) {
      table.setAttribute('role', ROLES.table)
      for (const [selector, role] of Object.entries(ROLES)) {
        for (const part of table.querySelectorAll(selector)) part.setAttribute('role', role)
      }
    }
  }
  document.addEventListener('morphed', restore)
  restore()
})()
