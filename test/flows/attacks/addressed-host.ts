import type { Store } from 'koa-gatehouse'
import { createUsage } from '../../../src/usage.ts'
import { startHost } from '../../support/host.ts'

/** A host behind a proxy: requests name the address of their sender. */
export async function createHost(store: Store) {
  const host = await startHost({
    store,
    mount(app, gatehouse) {
      app.proxy = true
      app.use(createUsage(gatehouse).middleware())
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware())
    },
  })
  return {
    ...host,
    /** Posts a form to an endpoint of clients. */
    async post(endpoint: 'token' | 'introspect' | 'revoke', fields: Record<string, string>, address: string) {
      const all = {
        ...(endpoint === 'token' ? { grant_type: 'client_credentials' } : { token: 'x' }),
        ...fields,
      }
      const response = await fetch(`${host.issuer}/oauth2/${endpoint}`, {
        method: 'POST',
        headers: { 'X-Forwarded-For': address },
        body: new URLSearchParams(all),
      })
      const text = await response.text()
      const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
      return { status: response.status, headers: response.headers, body }
    },
  }
}

export type AddressedHost = Awaited<ReturnType<typeof createHost>>
