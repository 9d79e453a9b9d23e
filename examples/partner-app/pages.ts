import { html, page, stylesheet } from '../page.ts'
import { type Connection, OPERATIONS, WANTED } from './connection.ts'

const site = { name: 'Tallybook', tagline: 'Bookkeeping by Acme Software', style: '/style.css' }

/** The stylesheet of the site. */
export const style = stylesheet('#7a3e9d')

/** A message that is shown once. */
export interface Notice {
  readonly isSuccess: boolean
  readonly text: string
}

/** An invoice in the API's format. */
export interface ShownInvoice {
  readonly id: string
  readonly customer: string
  /** In cents. */
  readonly amount: number
  readonly paid: boolean
}

/**
 * The home page of a user without a connected account.
 *
 * @param callback the redirect URI that an application of a developer needs
 * @param ownClientId the application of a developer that was tried before
 */
export const welcomePage = (notice: Notice | undefined, callback: string, ownClientId?: string) =>
  page(
    site,
    'Welcome',
    html`
      ${noticeBox(notice)}
      <section>
        <h1>Your books, kept for you</h1>
        <p>
          Tallybook reads your invoices from Harbour Ledger. You choose there what it may do. When you
          disconnect, its tokens are revoked.
        </p>
        <form class="actions" method="post" action="/connect"><button>Connect your account</button></form>
      </section>
      <section>
        <h2>For developers: try your own application</h2>
        <p>
          Create an application in the API console of Harbour Ledger, with the redirect URI
          <code>${callback}</code>. Then connect with its credentials. This page keeps them in memory. At
          Harbour Ledger you are then the user: if the consent page says that you are signed in as the
          developer, choose “Use another account”, and sign in as alice.
        </p>
        <form method="post" action="/connect-own">
          <label
            >Client ID <input name="clientId" value="${ownClientId}" required autocomplete="off"
          /></label>
          <label
            >Client secret <input name="clientSecret" type="password" required autocomplete="off"
          /></label>
          <p>Request these operations. They must be in its products:</p>
          ${OPERATIONS.map((scope) => html`<label class="tick"><input type="checkbox" name="operation" value="${scope}" ${scope.startsWith('invoices:') && 'checked'} /> ${scope}</label>`)}
          <div class="actions"><button class="plain">Connect with this application</button></div>
        </form>
      </section>
    `,
  )

/** The page for a service that cannot be reached, or whose answer is invalid. */
export const problemPage = () =>
  page(
    site,
    'Something went wrong',
    html`${noticeBox({ isSuccess: false, text: 'That did not work with Harbour Ledger. Nothing was changed.' })}
      <section>
        <p><a href="/">Back to your books</a></p>
      </section>`,
  )

/** The home page of a user with a connected account. */
export const connectedPage = (
  connection: Connection,
  invoices: readonly ShownInvoice[] | undefined,
  notice: Notice | undefined,
) =>
  page(
    site,
    'Your books',
    html`
      ${noticeBox(notice)}
      <section>
        <h1>Connected as ${connection.name}</h1>
        <dl>
          <dt>Allowed</dt>
          <dd>${connection.tokens.scopes.join(', ')}</dd>
          <dt>Not allowed</dt>
          <dd>
            ${WANTED.filter((scope) => !connection.tokens.scopes.includes(scope)).join(', ') || 'nothing is missing'}
          </dd>
          <dt>Access token</dt>
          <dd>
            …${connection.tokens.accessToken.slice(-8)},
            <span class="whole">valid for ${connection.tokens.expiresIn} s</span>
          </dd>
          <dt>Refresh token</dt>
          <dd>…${connection.tokens.refreshToken.slice(-8)}</dd>
        </dl>
        <div class="actions">
          ${button('/invoices', 'Create an invoice', '')} ${button('/change', 'Change what is allowed')}
          ${button('/refresh', 'Refresh the tokens')}
          ${connection.usedRefreshToken !== undefined && button('/reuse', 'Use the old refresh token again')}
          ${button('/disconnect', 'Disconnect')}
        </div>
        <p>
          <small
            >Disconnecting revokes the tokens of Tallybook at Harbour Ledger. Harbour Ledger then asks whether
            to sign you out there. It remembers what you allowed, so it does not ask again when you
            reconnect.</small
          >
        </p>
      </section>
      <section>
        <h2>Invoices from Harbour Ledger</h2>
        ${invoices ? invoiceTable(invoices) : html`<p>You did not allow Tallybook to read your invoices.</p>`}
      </section>
    `,
  )

const button = (action: string, text: string, look = 'plain') =>
  html`<form method="post" action="${action}"><button class="${look}">${text}</button></form>`

const invoiceTable = (invoices: readonly ShownInvoice[]) => html`
  <table>
    <tr>
      <th>Invoice</th>
      <th>Customer</th>
      <th>State</th>
      <th class="amount">Amount</th>
    </tr>
    ${invoices.map(
      ({ id, customer, paid, amount }) =>
        html`<tr>
          <td>${id}</td>
          <td>${customer}</td>
          <td>${paid ? 'Paid' : 'Open'}</td>
          <td class="amount">€${(amount / 100).toFixed(2)}</td>
        </tr>`,
    )}
  </table>
`

const noticeBox = (notice: Notice | undefined) =>
  notice && html`<div class="note ${notice.isSuccess ? 'good' : 'bad'}" role="status">${notice.text}</div>`
