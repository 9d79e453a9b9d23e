import createClient, { type FetchResponse } from 'openapi-fetch'
import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { startManagement } from '../flows/management/setup.ts'
// `npm run check:foreign` makes this file from docs/openapi.json, and compiles this one.
import type { components, paths } from './generated/management.d.ts'

type Problem<Operation extends Record<string | number, unknown>> = NonNullable<
  FetchResponse<Operation, object, 'application/problem+json'>['error']
>

type ProblemOfChange = Problem<paths['/api-keys/{clientId}']['patch']>
type ProblemOfRotation = Problem<paths['/api-keys/{clientId}/secrets']['post']>

/**
 * What a program does after a problem. Each case reads a field that has this type only there. The compiler rejects a case
 * that the operation never answers, and `never` at the end rejects a case that is missing.
 */
function adviceFor(problem: ProblemOfChange | ProblemOfRotation): string {
  switch (problem.status) {
    case 400:
    case 413:
    case 415:
      return `mend the program: ${problem.code}`
    case 401:
      return 'sign in'
    case 403:
      return problem.code === 'ERR_CSRF' ? 'get another CSRF token' : 'ask for the permission'
    case 404:
      return problem.code satisfies 'ERR_NOT_FOUND'
    case 409:
      switch (problem.code) {
        case 'ERR_TWO_SECRETS':
          return 'revoke one of two secrets'
        case 'ERR_IN_PROGRESS':
        case 'ERR_CONFLICT':
          return 'send it again'
        case 'ERR_SECRETS_CHANGED':
          return 'begin another rotation'
        default:
          return problem satisfies never
      }
    case 412:
      return problem.code satisfies 'ERR_CHANGED'
    case 422:
      return problem.code === 'ERR_IDEMPOTENCY_KEY'
        ? 'use another key'
        : `mend ${problem.errors?.map(({ path }) => path).join()}`
    case 500:
    case 503:
      return 'try again later'
    default:
      return problem satisfies never
  }
}

it('a generated client tells 404, 409, 412 and 422 apart by the type of the problem', async () => {
  const host = await startManagement({ store: memoryStore() })
  const api = createClient<paths>({
    baseUrl: `${host.origin}/account/api`,
    headers: { 'test-token': 'acme' },
  })
  const { data } = await api.POST('/api-keys', { body: { name: 'Nightly export' } })
  const path = { clientId: data!.apiKey.clientId }
  const change = (clientId: string, name: string, etag?: string) =>
    api.PATCH('/api-keys/{clientId}', {
      params: { path: { clientId }, ...(etag && { header: { 'If-Match': etag } }) },
      body: { name },
    })
  const rotate = (key?: string) =>
    api.POST('/api-keys/{clientId}/secrets', {
      params: { path, ...(key && { header: { 'Idempotency-Key': key } }) },
      body: {},
    })
  await rotate()
  const answers = [
    await change('key_unknown', 'Nightly'),
    await rotate(),
    await change(path.clientId, 'Nightly', '"of another version"'),
    await change(path.clientId, ''),
    await rotate('x'.repeat(256)),
  ]
  await host.close()
  expect(answers.map(({ error }) => error && adviceFor(error))).toEqual([
    'ERR_NOT_FOUND',
    'revoke one of two secrets',
    'ERR_CHANGED',
    'mend name',
    'use another key',
  ])
})

it('a generated client makes a key, sees what it may do, and reads what was done, each with its type', async () => {
  const host = await startManagement({ store: memoryStore() })
  const api = createClient<paths>({
    baseUrl: `${host.origin}/account/api`,
    headers: { 'test-token': 'acme' },
  })
  const created = await api.POST('/api-keys', { body: { name: 'Nightly export', products: ['invoices'] } })
  const { apiKey, clientSecret } = created.data!
  const path = { clientId: apiKey.clientId }
  expect((clientSecret satisfies string | undefined)?.length).toBeGreaterThan(30)
  const scope = 'invoices:read'
  await api.DELETE('/api-keys/{clientId}/operations/{scope}', { params: { path: { ...path, scope } } })
  const preview = await api.GET('/api-keys/{clientId}/access', { params: { path } })
  const invoices: readonly components['schemas']['AccessPreview']['products'][number]['operations'][number][] =
    preview.data?.products.find(({ id }) => id === 'invoices')?.operations ?? []
  expect(invoices.map(({ scope: name, callable, missing }) => [name, callable, missing])).toEqual([
    ['invoices:read', false, ['operation']],
    ['invoices:create', true, []],
  ])
  const listed = await api.GET('/api-keys', { params: { query: { limit: 10, sort: 'name' } } })
  expect(listed.data?.items.map(({ name }) => name)).toEqual(['Nightly export'])
  const trail = await api.GET('/audit', { params: { query: { clientId: apiKey.clientId } } })
  const entries: readonly components['schemas']['AuditEntry'][] = trail.data?.items ?? []
  expect(entries.map(({ name }) => name)).toEqual(['client.changed', 'client.created'])
  // @ts-expect-error a misspelt field
  await api.POST('/api-keys', { body: { nmae: 'Nightly export' } })
  // @ts-expect-error an unknown path
  await api.GET('/api-kyes', {})
  await host.close()
})
