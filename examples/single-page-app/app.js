// The page of the single-page app. `connection.js` has everything about OAuth, `page.ts` the elements.
import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi'
import {
  callApi,
  finishSignIn,
  forgetTokens,
  readName,
  readTokens,
  refresh,
  signIn,
  signOut,
} from './connection.js'

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id))

async function showInvoices() {
  const response = await callApi('/invoices/list')
  if (!response.ok) throw new Error(`The API answered ${response.status}.`)
  const { invoices } = await response.json()
  const rows = invoices.map((/** @type {{ id: string, customer: string, paid: boolean }} */ invoice) => {
    const row = document.createElement('tr')
    for (const text of [invoice.id, invoice.customer, invoice.paid ? 'Paid' : 'Open']) {
      row.insertCell().textContent = text
    }
    return row
  })
  element('invoices').replaceChildren(...rows)
  element('name').textContent = (await readName()) ?? 'a user who did not allow their name'
}

/** Shows what the user can do now, and a notice. */
function show(notice = '') {
  const isSignedIn = readTokens() !== undefined
  element('signed-out').hidden = isSignedIn
  element('signed-in').hidden = !isSignedIn
  element('notice').textContent = notice
  element('notice').hidden = notice === ''
}

/**
 * Runs an action, and shows what it returns, or its error.
 *
 * @param {() => Promise<string | void>} action
 */
async function run(action) {
  try {
    show((await action()) ?? '')
  } catch (error) {
    show(explain(error))
  }
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof AuthorizationResponseError) return 'You did not allow the access.'
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
    forgetTokens()
    return 'This sign-in has ended. Sign in again to go on.'
  }
  return error instanceof Error ? error.message : String(error)
}

/** @type {Record<string, () => Promise<string | void>>} */
const actions = {
  'sign-in': signIn,
  'show-invoices': showInvoices,
  async refresh() {
    await refresh()
    return `New tokens, valid for ${readTokens()?.expires_in} s.`
  },
  async 'sign-out'() {
    await signOut()
    return 'Signed out: the tokens of this app are revoked.'
  },
}
for (const [id, action] of Object.entries(actions))
  element(id).addEventListener('click', () => void run(action))

const query = new URLSearchParams(location.search)
if (query.has('code') || query.has('error')) await run(finishSignIn)
else show()
if (readTokens()) await run(showInvoices)
