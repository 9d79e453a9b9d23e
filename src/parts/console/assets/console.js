// The script of the console, as a module for browsers. All pages work without the script. It copies texts, and
// replaces the page by the answer to a form, so that focus and scroll position stay.

/**
 * @param {Event} event
 * @param {string} selector
 * @returns {Element | null} the element around the target of the event
 */
function closest({ target }, selector) {
  return target instanceof Element ? target.closest(selector) : null
}

/**
 * Replaces a page of the console.
 *
 * @param {Element} root
 * @param {URL | string} url
 * @param {RequestInit} [init]
 * @returns {Promise<boolean>} false if the server cannot be reached
 */
async function load(root, url, init) {
  root.setAttribute('aria-busy', 'true')
  let response
  try {
    response = await fetch(url, { ...init, headers: { 'X-Gatehouse-Fragment': '1' } })
  } catch {
    root.removeAttribute('aria-busy')
    return false
  }
  if (response.status === 401) {
    location.reload()
    return true
  }
  const template = document.createElement('template')
  template.innerHTML = await response.text()
  const next = template.content.querySelector('.gatehouse')
  if (!(next instanceof HTMLElement)) {
    location.assign(response.url)
    return true
  }
  root.replaceWith(next)
  if (!next.closest('[data-gatehouse-embed]')) {
    const service = document.title.split(' · ').slice(1)
    document.title = [next.dataset.title, ...service].join(' · ')
    if (response.url !== location.href) history.pushState(null, '', response.url)
  }
  const target = next.querySelector('[autofocus], [role=status], [role=alert]:not([hidden]), h1')
  if (target instanceof HTMLElement) {
    if (!target.matches('input, select, textarea, button, a')) target.tabIndex = -1
    target.focus()
  }
  return true
}

/**
 * Copies the text that a button names. On plain http, browsers have no clipboard: the text is only selected.
 *
 * @param {HTMLElement} button
 */
async function copy(button) {
  const source = document.getElementById(button.dataset.copy ?? '')
  if (!source) return
  if (!navigator.clipboard) {
    getSelection()?.selectAllChildren(source)
    return
  }
  await navigator.clipboard.writeText(source.textContent)
  const label = button.textContent
  button.textContent = button.dataset.copied ?? label
  setTimeout(() => (button.textContent = label), 2000)
}

/**
 * @param {Element} root
 * @param {string} address
 */
async function follow(root, address) {
  if (!(await load(root, address))) location.assign(address)
}

/**
 * @param {Element} root
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
async function send(root, form, submitter) {
  const fields = new URLSearchParams()
  for (const [name, value] of new FormData(form, submitter)) {
    if (typeof value === 'string') fields.append(name, value)
  }
  const url = new URL(form.getAttribute('action') ?? location.href, location.href)
  const isPost = form.method === 'post'
  if (!isPost) url.search = fields.toString()
  if (!(await load(root, url, isPost ? { method: 'POST', body: fields } : {}))) {
    root.querySelector('[data-offline]')?.removeAttribute('hidden')
  }
}

addEventListener('popstate', () => location.reload())

document.addEventListener('click', (event) => {
  const button = closest(event, '.gatehouse [data-copy]')
  if (button instanceof HTMLElement) {
    void copy(button)
    return
  }
  const link = closest(event, '[data-gatehouse-embed] .gatehouse a[href]:not([download])')
  if (!(link instanceof HTMLAnchorElement) || link.target || event.defaultPrevented) return
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  const root = link.closest('.gatehouse')
  if (!(root instanceof HTMLElement) || link.origin !== location.origin) return
  if (!link.pathname.startsWith(root.dataset.path ?? '')) return
  event.preventDefault()
  void follow(root, link.href)
})

document.addEventListener('submit', (event) => {
  const form = closest(event, '.gatehouse form')
  const root = form?.closest('.gatehouse')
  if (!(form instanceof HTMLFormElement) || !root || event.defaultPrevented) return
  const { submitter } = event
  event.preventDefault()
  if (!root.hasAttribute('aria-busy')) void send(root, form, submitter)
})
