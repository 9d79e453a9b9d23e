import path from 'node:path'
import { format } from 'oxfmt'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { OpenApi } from './described.ts'
import { request, startManagement, type ManagementHost } from './setup.ts'

const root = path.resolve(import.meta.dirname, '../../..')

let host: ManagementHost
let document: OpenApi
beforeAll(async () => {
  host = await startManagement({ store: memoryStore() })
  document = (await request(host, 'GET', '/openapi.json')).body
})
afterAll(() => host.close())

it('docs/openapi.json is the document that the API serves', async () => {
  const { code } = await format('openapi.json', JSON.stringify(document), { printWidth: 110 })
  await expect(code).toMatchFileSnapshot(path.join(root, 'docs/openapi.json'))
})

it('each operation has its own id and a summary, and each parameter of a path is described', () => {
  const ids = new Set<string>()
  for (const [route, methods] of Object.entries(document.paths)) {
    for (const operation of Object.values(methods)) {
      expect(ids).not.toContain(operation.operationId)
      ids.add(operation.operationId)
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
      const described = operation.parameters.filter((each) => each.in === 'path').map((each) => each.name)
      expect(described).toEqual([...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
  }
  expect(ids.size).toBeGreaterThan(30)
})
