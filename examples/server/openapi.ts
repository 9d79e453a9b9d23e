import { Router } from '@koa/router'
import type { Gatehouse } from 'koa-gatehouse'
import { openApiOf } from 'koa-gatehouse/openapi'

/** The OpenAPI document of the API, for developers and their tools. */
export function openApi(gatehouse: Gatehouse): Router {
  const document = openApiOf(gatehouse, {
    info: {
      title: 'Harbour Ledger',
      version: '1',
      description: 'Invoices and payments of an account.',
      contact: { name: 'Harbour Ledger', url: 'https://harbour.example' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
  })
  return new Router().get('/openapi.json', async (ctx) => {
    ctx.body = await document
  })
}
