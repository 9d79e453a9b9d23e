import { Router } from '@koa/router'
import type { Gatehouse, Grant } from 'koa-gatehouse'
import { html, page } from '../page.ts'
import { products } from './products.ts'
import { signedInAccount, site } from './website.ts'

/**
 * Everything that an account has allowed one application, in all grants of the account to that application.
 */
interface Connection {
  readonly clientId: string
  readonly name: string
  /** Titles of operations. */
  readonly allowed: readonly string[]
  /** Epoch seconds. */
  readonly since: number
}

/** A page on which users see what they have allowed each application, and can disconnect it. */
export function connectedApplications({ applications, grants }: Pick<Gatehouse, 'applications' | 'grants'>) {
  async function connectionsOf(accountId: string): Promise<Connection[]> {
    const all: Grant[] = []
    let cursor: string | undefined
    do {
      const page = await grants.list({ accountId, cursor })
      all.push(...page.items)
      cursor = page.cursor
    } while (cursor !== undefined)

    const clientIds = [...new Set(all.map(({ clientId }) => clientId))]
    return Promise.all(
      clientIds.map(async (clientId) => {
        const grantsOfClient = all.filter((grant) => grant.clientId === clientId)
        const scopes = [...new Set(grantsOfClient.flatMap((grant) => grant.scopes))]
        const application = await applications.find(clientId)
        return {
          clientId,
          name: application?.name ?? 'An application that does not exist any more',
          allowed: scopes.map((scope) => titles.get(scope)).filter((title) => title !== undefined),
          since: Math.min(...grantsOfClient.map(({ authorizedAt }) => authorizedAt)),
        }
      }),
    )
  }

  // A form on another site has no effect here: the browser sends it without the session's cookie, which is
  // `sameSite: 'lax'`.
  return new Router()
    .get('/applications', async (ctx) => {
      const account = signedInAccount(ctx)
      if (!account) return ctx.redirect('/login?next=/applications')
      ctx.body = page(site, 'Connected applications', listPage(await connectionsOf(account.id)))
    })
    .post('/applications/disconnect', async (ctx) => {
      const account = signedInAccount(ctx)
      const { clientId } = Object(ctx.request.body) as { clientId?: unknown }
      if (account && typeof clientId === 'string' && clientId !== '') {
        await grants.revokeAll({ accountId: account.id, clientId }, { actor: account.id })
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
