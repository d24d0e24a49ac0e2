/*
 * Runs in the report's page: on a narrow one, tables are laid out as blocks, and browsers forget then that they are tables. Their
 * roles are said again. Plain browser script, no module.
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

  for (const table of document.querySelectorAll('main table')) {
    table.setAttribute('role', ROLES.table)
    for (const [selector, role] of Object.entries(ROLES)) {
      for (const part of table.querySelectorAll(selector)) part.setAttribute('role', role)
    }
  }
})()
