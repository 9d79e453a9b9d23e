import type { Context } from 'koa'
import type { Client } from '../clients/client.ts'
import type { ClientPage } from '../clients/client-index.ts'
import { etagOf } from '../clients/if-match.ts'

/** A client as the API shows it: without its epoch, which means nothing to people. */
function presentClient(client: Client): object {
  return { ...client, epoch: undefined }
}

/** A page of clients as the API shows them. */
export function presentPage({ items, cursor }: ClientPage<Client>) {
  return { items: items.map(presentClient), cursor }
}

/** The client as the API shows it. Also sets the ETag of the answer. */
export function sendClient(ctx: Context, client: Client): object {
  ctx.set('ETag', etagOf(client))
  return presentClient(client)
}
