import type { Context } from 'koa'
import type { Client } from '../../clients/client.ts'
import type { ClientPage } from '../../clients/client-index.ts'
import { etagOf } from '../../clients/client-etag.ts'
import type { ClientState, StatesOf } from '../../clients/why-no-token.ts'

export type ClientPresenter = ReturnType<typeof createClientPresenter>

/** Creates the functions that add the state of clients to answers. */
export function createClientPresenter(statesOf: StatesOf) {
  return {
    async presentPage({ items, cursor }: ClientPage<Client>) {
      const states = await statesOf(items)
      return { items: items.map((client, at) => withState(client, states[at])), cursor }
    },
    /** Also sets the ETag of the answer. */
    async sendClient(ctx: Context, client: Client) {
      ctx.set('ETag', etagOf(client))
      const [state] = await statesOf([client])
      return withState(client, state)
    },
  }
}

/** With the ids of its keys instead of the keys. */
function withState(client: Client, state: ClientState | undefined) {
  const { noToken, knownToFormer = [] } = state ?? {}
  const keys = client.jwks?.keys.map(({ kid }) => kid)
  return { ...client, keys, noToken, ...(knownToFormer.length > 0 && { knownToFormer }) }
}
