import { Router } from '@koa/router'
import type { Context } from 'koa'
import { html, page } from '../page.ts'
import { createManagementClient } from './management-client.ts'
import { products } from './products.ts'
import { signedInAccount, site } from './website.ts'

/** Everything that an account has allowed one application, in all authorizations of this application. */
interface Connection {
  readonly clientId: string
  readonly name: string
  /** Titles of operations. */
  readonly allowed: readonly string[]
  /** Epoch seconds. */
  readonly since: number
}

/** A page of `GET /authorizations`. */
interface AuthorizationPage {
  readonly items: readonly {
    readonly clientId: string
    readonly scopes: readonly string[]
    readonly authorizedAt: number
    readonly application?: { readonly name: string }
  }[]
  readonly cursor?: string
}

/**
 * A page on which users see what they have allowed each application, and can disconnect it. The page calls the
 * management API with the session of the user.
 *
 * @param origin the origin of the host
 */
export function connectedApplications(origin: string) {
  const clientOf = (ctx: Context) =>
    createManagementClient({ origin, credentials: { cookie: ctx.get('Cookie') } })

  async function connectionsOf(ctx: Context): Promise<Connection[]> {
    const all: AuthorizationPage['items'][number][] = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
      const authorizations: AuthorizationPage = await clientOf(ctx).get(`/authorizations${query}`)
      all.push(...authorizations.items)
      cursor = authorizations.cursor
    }
    const clientIds = [...new Set(all.map(({ clientId }) => clientId))]
    return clientIds.map((clientId) => {
      const ofClient = all.filter((authorization) => authorization.clientId === clientId)
      const scopes = [...new Set(ofClient.flatMap((authorization) => authorization.scopes))]
      return {
        clientId,
        name: ofClient[0]?.application?.name ?? 'An application that does not exist any more',
        allowed: scopes.map((scope) => titles.get(scope)).filter((title) => title !== undefined),
        since: Math.min(...ofClient.map(({ authorizedAt }) => authorizedAt)),
      }
    })
  }

  // A form on another site has no effect here: the browser sends it without the session's cookie, which is
  // `sameSite: 'lax'`.
  return new Router()
    .get('/applications', async (ctx) => {
      if (!signedInAccount(ctx)) return ctx.redirect('/login?next=/applications')
      ctx.body = page(site, 'Connected applications', listPage(await connectionsOf(ctx)))
    })
    .post('/applications/disconnect', async (ctx) => {
      const { clientId } = Object(ctx.request.body) as { clientId?: unknown }
      if (signedInAccount(ctx) && typeof clientId === 'string' && clientId !== '') {
        await clientOf(ctx).send('DELETE', `/authorizations?clientId=${encodeURIComponent(clientId)}`)
      }
      ctx.status = 303
      ctx.redirect('/applications')
    })
}

const titles = new Map<string, string>(
  Object.values(products).flatMap(({ operations }) =>
    Object.entries(operations).map(([scope, { title }]): [string, string] => [scope, title]),
  ),
)

const listPage = (connections: readonly Connection[]) => html`
  <section>
    <h1>Connected applications</h1>
    ${
      connections.length === 0
        ? html`<p>No application can act on your account.</p>`
        : html`<p>
            These applications can act on your account. An application that you disconnect loses access at
            once.
          </p>`
    }
  </section>
  ${connections.map(
    ({ clientId, name, allowed, since }) => html`
      <section>
        <h2>${name}</h2>
        <p>${allowed.length === 0 ? 'May see who you are.' : allowed.join(' · ')}</p>
        <p><small>Since ${new Date(since * 1000).toISOString().slice(0, 10)}</small></p>
        <form class="actions" method="post" action="/applications/disconnect">
          <input type="hidden" name="clientId" value="${clientId}" />
          <button class="plain">Disconnect</button>
        </form>
      </section>
    `,
  )}
`
