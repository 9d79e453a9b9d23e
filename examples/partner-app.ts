/**
 * A third party that connects its users' accounts at Harbour Ledger by OAuth 2.0, with the unmodified `openid-client`.
 * `partner-app/connection.ts` shows what a good OAuth client does.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { Router } from '@koa/router'
import { bodyParser } from '@koa/bodyparser'
import Koa, { type Context } from 'koa'
import session from 'koa-session'
import { AuthorizationResponseError } from 'openid-client'
import {
  type Connection,
  ConnectionEnded,
  type Connector,
  createConnector,
  OPERATIONS,
  type PendingConnection,
  type Service,
} from './partner-app/connection.ts'
import {
  connectedPage,
  type Notice,
  problemPage,
  type ShownInvoice,
  style,
  welcomePage,
} from './partner-app/pages.ts'

const DISCONNECTED =
  'Disconnected: the tokens of Tallybook are revoked. You are still signed in at Harbour Ledger, unless you chose “Sign out” there.'

/** The state of one browser. Its cookie holds only a signed id; secrets and tokens stay on the server. */
interface Visitor {
  /** The visitor's own application at the service. @default the application of Tallybook */
  own?: { readonly service: Service; readonly operations: readonly string[] } | undefined
  pending?: PendingConnection | undefined
  connection?: Connection | undefined
  notice?: Notice | undefined
}

/**
 * The third party's app.
 *
 * @param service the service, and the credentials that the developer got there
 * @param origin the origin of this app
 */
export function createPartnerApp(service: Service, origin: string): Koa {
  const tallybook = createConnector(service, origin)
  const visitors = new Map<string, Visitor>()

  /** The connector of the application with which this visitor connects. */
  function connectorOf({ own }: Visitor) {
    return own ? createConnector(own.service, origin, own.operations) : tallybook
  }

  function visitorOf(ctx: Context): Visitor {
    const known = visitors.get(ctx.session?.id)
    if (known) return known
    const visitor: Visitor = {}
    ctx.session = { id: randomUUID() }
    visitors.set(ctx.session.id, visitor)
    return visitor
  }

  /**
   * Shows a notice once, on the home page.
   *
   * @param reason the answer of the service. It is for the developers of Tallybook, so it is only logged
   */
  function showNotice(ctx: Context, notice: Notice, reason?: string): void {
    if (reason) console.warn(`Tallybook: ${reason}`)
    visitorOf(ctx).notice = notice
    seeOther(ctx, '/')
  }

  /** Runs an action that needs a connection. If the connection has ended, removes it and shows a notice. */
  async function withConnection(
    ctx: Context,
    act: (connection: Connection, connector: Connector) => Promise<void>,
  ): Promise<void> {
    const visitor = visitorOf(ctx)
    if (!visitor.connection) return seeOther(ctx, '/')
    try {
      await act(visitor.connection, connectorOf(visitor))
    } catch (error) {
      if (!(error instanceof ConnectionEnded)) throw error
      visitor.connection = undefined
      const text =
        'Harbour Ledger has ended this connection, or you have disconnected it there. Connect your account again to go on.'
      showNotice(ctx, { isSuccess: false, text }, error.message)
    }
  }

  const router = new Router()

  router.get('/style.css', (ctx) => {
    ctx.type = 'css'
    ctx.body = style
  })

  router.get('/', async (ctx) => {
    const visitor = visitorOf(ctx)
    if (!visitor.connection) {
      ctx.body = welcomePage(takeNotice(visitor), `${origin}/callback`, visitor.own?.service.clientId)
      return
    }
    await withConnection(ctx, async (connection, connector) => {
      const response = await connector.call(connection, 'GET', '/invoices/list')
      const answer = response.ok ? ((await response.json()) as { invoices: ShownInvoice[] }) : undefined
      ctx.body = connectedPage(connection, answer?.invoices, takeNotice(visitor))
    })
  })

  async function sendToService(ctx: Context, prompt?: 'consent'): Promise<void> {
    const visitor = visitorOf(ctx)
    const { url, pending } = await connectorOf(visitor).begin(prompt)
    visitor.pending = pending
    seeOther(ctx, url.href)
  }

  router.post('/connect', (ctx) => {
    visitorOf(ctx).own = undefined
    return sendToService(ctx)
  })
  // Developers try their own application here. A real partner's app has the credentials in its settings.
  router.post('/connect-own', bodyParser({ enableTypes: ['form'] }), (ctx) => {
    const { clientId = '', clientSecret = '', operation = [] } = Object(ctx.request.body)
    visitorOf(ctx).own = {
      service: { ...service, clientId: String(clientId).trim(), clientSecret: String(clientSecret).trim() },
      operations: OPERATIONS.filter((scope) => [operation].flat().includes(scope)),
    }
    return sendToService(ctx)
  })
  router.post('/change', (ctx) => withConnection(ctx, () => sendToService(ctx, 'consent')))

  router.get('/callback', async (ctx) => {
    const visitor = visitorOf(ctx)
    const { pending, connection: before } = visitor
    // The user must return in the browser that was sent to the service. Otherwise a link could connect an
    // attacker's account to this user.
    if (ctx.query.state !== pending?.state || !pending) {
      const text = 'This sign-in was started in another tab, or has ended. Connect your account again.'
      return before ? seeOther(ctx, '/') : showNotice(ctx, { isSuccess: false, text })
    }
    visitor.pending = undefined
    const connector = connectorOf(visitor)
    try {
      visitor.connection = await connector.complete(new URL(ctx.url, origin), pending)
      // The tokens of the previous connection are no longer used. If the service cannot be reached, they stay
      // valid until they expire.
      if (before) await connector.revoke(before).catch(console.error)
      showNotice(ctx, welcome(visitor.connection, before))
    } catch (error) {
      if (!(error instanceof AuthorizationResponseError)) throw error
      const text = before ? 'Nothing was changed.' : 'Your account was not connected.'
      showNotice(ctx, { isSuccess: false, text }, `${error.error}: ${error.error_description}`)
    }
  })

  router.post('/invoices', (ctx) =>
    withConnection(ctx, async (connection, connector) => {
      const response = await connector.call(connection, 'POST', '/invoices/create', {
        customer: 'March Hare',
        amount: 1200,
      })
      if (response.ok) return showNotice(ctx, { isSuccess: true, text: 'The invoice was created.' })
      const text =
        response.status === 403
          ? 'You did not allow Tallybook to create invoices. To change that, choose “Change what is allowed”.'
          : 'The invoice was not created.'
      showNotice(ctx, { isSuccess: false, text }, await rejectionOf(response))
    }),
  )

  router.post('/refresh', (ctx) =>
    withConnection(ctx, async (connection, connector) => {
      await connector.refresh(connection)
      showNotice(ctx, { isSuccess: true, text: `New tokens, valid for ${connection.tokens.expiresIn} s.` })
    }),
  )

  router.post('/reuse', (ctx) =>
    withConnection(ctx, async (connection, connector) => {
      await connector.reuse(connection)
      showNotice(ctx, {
        isSuccess: false,
        text: 'The old refresh token worked a second time, which is an error of the service.',
      })
    }),
  )

  router.post('/disconnect', (ctx) =>
    withConnection(ctx, async (connection, connector) => {
      const farewell = await connector.farewell(connection)
      // The connection is revoked at the service before it is removed here. If revoking fails, the user can try again.
      await connector.revoke(connection)
      const visitor = visitorOf(ctx)
      visitor.connection = undefined
      // The notice is shown when the user returns. The service does not report whether the user signed out
      // there.
      visitor.notice = { isSuccess: true, text: DISCONNECTED }
      seeOther(ctx, farewell.href)
    }),
  )

  /** If a route fails, answers with a page, and logs the error. */
  async function explainFailures(ctx: Context, next: () => Promise<unknown>): Promise<void> {
    try {
      await next()
    } catch (error) {
      console.error(error)
      ctx.status = 502
      ctx.body = problemPage()
    }
  }

  const app = new Koa()
  app.keys = [randomBytes(32).toString('base64url')]
  app.use(session({ key: 'tallybook.session', sameSite: 'lax' }, app))
  app.use(explainFailures)
  app.use(router.routes())
  return app
}

/** The notice for a user who returns from the consent page. */
function welcome({ tokens }: Connection, before: Connection | undefined): Notice {
  if (!OPERATIONS.some((scope) => tokens.scopes.includes(scope))) {
    const text =
      'You allowed Tallybook nothing that it needs. To change that, choose “Change what is allowed”.'
    return { isSuccess: false, text }
  }
  return { isSuccess: true, text: before ? 'Your choice was saved.' : 'Your account is connected.' }
}

/** The error of the service, in one line (RFC 6750 3.1). */
async function rejectionOf(response: Response): Promise<string> {
  const { error, error_description } = Object(await response.json().catch(() => undefined))
  return [`${response.status} ${error ?? response.statusText}`, error_description].filter(Boolean).join(': ')
}

function takeNotice(visitor: Visitor): Notice | undefined {
  const { notice } = visitor
  visitor.notice = undefined
  return notice
}

function seeOther(ctx: Context, location: string): void {
  ctx.redirect(location)
  ctx.status = 303
}
