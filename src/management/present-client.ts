import type { Context } from 'koa'
import type { Client } from '../clients/client.ts'
import { etagOf } from '../clients/if-match.ts'

/** A client as the API shows it: without its epoch, which means nothing to people. */
export function presentClient(client: Client): object {
  return { ...client, epoch: undefined }
}

/** The client as the API shows it. Also sets the ETag of the answer. */
export function sendClient(ctx: Context, client: Client): object {
  ctx.set('ETag', etagOf(client))
  return presentClient(client)
}
