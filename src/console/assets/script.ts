/**
 * The script of the console, as a module for browsers. The pages are complete without it. It copies texts, asks before
 * a form that cannot be undone, and replaces the page by the answer to a form, so that focus and scroll position stay.
 */
export const script = `const header = 'X-Gatehouse-Fragment'
const rootOf = (node) => node.closest('.gatehouse')

async function load(root, url, init) {
  root.setAttribute('aria-busy', 'true')
  let response
  try {
    response = await fetch(url, { ...init, headers: { [header]: '1' } })
  } catch {
    root.removeAttribute('aria-busy')
    return false
  }
  if (response.status === 401) return location.reload(), true
  const template = document.createElement('template')
  template.innerHTML = await response.text()
  const next = template.content.querySelector('.gatehouse')
  if (!next) return location.assign(response.url), true
  root.replaceWith(next)
  if (!next.closest('[data-gatehouse-embed]')) {
    const title = document.title.split(' · ').slice(1)
    document.title = [next.dataset.title, ...title].join(' · ')
    if (response.url !== location.href) history.pushState(null, '', response.url)
  }
  const target = next.querySelector('[autofocus], [role=status], [role=alert]:not([hidden]), h1')
  if (target) {
    if (!target.matches('input, select, textarea, button, a')) target.tabIndex = -1
    target.focus()
  }
  return true
}

addEventListener('popstate', () => location.reload())

document.addEventListener('click', async (event) => {
  const copy = event.target.closest('.gatehouse [data-copy]')
  if (copy) {
    const source = document.getElementById(copy.dataset.copy)
    // Browsers have no clipboard on plain http. The reader then copies the selected text.
    if (!navigator.clipboard) return getSelection().selectAllChildren(source)
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    const label = copy.textContent
    copy.textContent = copy.dataset.copied
    setTimeout(() => (copy.textContent = label), 2000)
    return
  }
  const link = event.target.closest('[data-gatehouse-embed] .gatehouse a[href]')
  if (!link || link.target || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return
  const root = rootOf(link)
  if (link.origin !== location.origin || !link.pathname.startsWith(root.dataset.path)) return
  event.preventDefault()
  if (!(await load(root, link.href))) location.assign(link.href)
})

document.addEventListener('submit', async (event) => {
  const form = event.target.closest('.gatehouse form')
  if (!form || event.defaultPrevented) return
  const { submitter } = event
  const question = (submitter ?? form).dataset.confirm ?? form.dataset.confirm
  if (question && !confirm(question)) return event.preventDefault()
  const root = rootOf(form)
  if (root.hasAttribute('aria-busy')) return event.preventDefault()
  const fields = new URLSearchParams(new FormData(form, submitter))
  const url = new URL(form.getAttribute('action') ?? location.href, location.href)
  event.preventDefault()
  const isPost = form.method === 'post'
  if (!isPost) url.search = fields
  if (!(await load(root, url, isPost ? { method: 'POST', body: fields } : {}))) {
    root.querySelector('[data-offline]').hidden = false
  }
})
`
