const HASH = '#group='

/**
 * Lets the reader select the group of routes whose charts are shown, and keeps the selection in the page's address.
 * `getNames` gives the current groups; `onChange` is called on a new selection. Returns `chosen`, the index of the
 * selected group, and `follow`, which applies the selection to a page that changed.
 */
export function enableGroups(getNames, onChange) {
  const findSelect = () => document.getElementById('group')
  const chosen = () => Number(findSelect()?.value ?? 0)
  const show = (select) => {
    select.closest('.group-choice').hidden = false
    for (const part of document.querySelectorAll('[data-group]'))
      part.hidden = part.dataset.group !== select.value
  }
  const follow = () => {
    const select = findSelect()
    if (select === null) return
    const place = getNames().findIndex((name) => location.hash === HASH + encoded(name))
    if (place !== -1) select.value = String(place)
    show(select)
  }
  document.addEventListener('change', ({ target }) => {
    if (target !== findSelect()) return
    history.replaceState(null, '', HASH + encoded(getNames()[chosen()]))
    show(target)
    onChange()
  })
  addEventListener('hashchange', () => {
    follow()
    onChange()
  })
  follow()
  return { chosen, follow }
}

/** An address cannot hold a lone surrogate, so it becomes a question mark. */
function encoded(name) {
  return encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '?'))
}
