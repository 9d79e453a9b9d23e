import { readFileSync } from 'node:fs'
import path from 'node:path'
import createClient from 'openapi-fetch'
import openapiTS, { astToString } from 'openapi-typescript'
import { afterEach, describe, expect, it } from 'vitest'
import { createLimits } from '../../src/limits.ts'
import { openApiOf } from '../../src/openapi.ts'
import { startHost, type Host } from '../support/host.ts'
import { problemsOf } from './openapi-linters.ts'

const INFO = {
  title: 'Harbour',
  description: 'Invoices and payments',
  contact: { name: 'Harbour', url: 'https://harbour.example' },
  license: { name: 'MIT', identifier: 'MIT' },
}

let host: Host
afterEach(() => host?.close())

it('a validator and two linters find nothing in the document of the management API', async () => {
  const file = path.resolve(import.meta.dirname, '../../docs/openapi.json')
  expect(await problemsOf(JSON.parse(readFileSync(file, 'utf8')))).toEqual([])
}, 60_000)

describe('openApiOf()', () => {
  it('a validator and two linters find nothing in the document of an API, with limits and without', async () => {
    host = await startHost()
    expect(await problemsOf(await openApiOf(host.gatehouse, { info: INFO }))).toEqual([])
    createLimits(host.gatehouse, { perMinute: 5 })
    expect(await problemsOf(await openApiOf(host.gatehouse, { info: INFO }))).toEqual([])
  }, 60_000)

  it('openapi-typescript makes types from the document, and openapi-fetch calls the API', async () => {
    host = await startHost()
    const document = await openApiOf(host.gatehouse)
    const types = astToString(await openapiTS(structuredClone(document) as never))
    expect(types).toContain('"/invoices/{id}"')
    const { body } = await host.requestDirectToken(await host.createApiKey(['invoices']))
    interface Paths {
      '/invoices/{id}': { get: { parameters: { path: { id: string } }; responses: Answers } }
      '/payments/list': { get: { responses: Answers } }
    }
    interface Answers {
      200: { content: { 'application/json': { reached: string } } }
    }
    const client = createClient<Paths>({
      baseUrl: host.audience,
      headers: { Authorization: `Bearer ${String(body['access_token'])}` },
    })
    const found = await client.GET('/invoices/{id}', { params: { path: { id: '7' } } })
    expect(found.data?.reached).toBe('/api/invoices/7')
    expect((await client.GET('/payments/list', {})).response.status).toBe(403)
  })
})
