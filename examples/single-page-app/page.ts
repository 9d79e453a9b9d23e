import { html, page, stylesheet, trustedHtml } from '../page.ts'

const site = { name: 'Glance', tagline: 'Your invoices, in a page without a backend', style: '/style.css' }

/** The stylesheet of the site. */
export const style = stylesheet('#0b7a53')

/** Where the browser finds the module `oauth4webapi`. A site with a bundler needs no import map. */
export const IMPORT_MAP = JSON.stringify({ imports: { oauth4webapi: '/oauth4webapi.js' } })

/** The only page. `app.js` shows one of its two sections. */
export const appPage = page(
  site,
  'Invoices',
  html`
    ${trustedHtml(`<script type="importmap">${IMPORT_MAP}</script>`)}
    <script type="module" src="/app.js"></script>
    <p id="notice" class="note" role="status">This page needs JavaScript.</p>
    <section id="signed-out" hidden>
      <h1>Your invoices at a glance</h1>
      <p>
        Glance reads your invoices at Harbour Ledger. It runs in your browser alone, and keeps nothing on a
        server.
      </p>
      <div class="actions"><button id="sign-in">Sign in</button></div>
    </section>
    <section id="signed-in" hidden>
      <h1>Invoices of <span id="name">…</span></h1>
      <table>
        <thead>
          <tr>
            <th>Invoice</th>
            <th>Customer</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody id="invoices"></tbody>
      </table>
      <div class="actions">
        <button id="show-invoices">Show the invoices again</button>
        <button id="refresh" class="plain">Refresh the tokens</button>
        <button id="sign-out" class="plain">Sign out</button>
      </div>
    </section>
  `,
)
