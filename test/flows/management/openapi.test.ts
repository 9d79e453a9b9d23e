import path from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { format } from 'prettier'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { request, startManagement, type ManagementHost } from './setup.ts'
import { generateTypes } from './generate-types.ts'

const root = path.resolve(import.meta.dirname, '../../..')

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly { readonly in: string; readonly name: string }[]
}

let host: ManagementHost
let document: OpenApi
beforeAll(async () => {
  host = await startManagement({ store: memoryStore() })
  document = (await request(host, 'GET', '/openapi.json')).body
})
afterAll(() => host.close())

it('docs/openapi.json is the document that the API serves', async () => {
  const formatted = await format(JSON.stringify(document), { parser: 'json', printWidth: 110 })
  await expect(formatted).toMatchFileSnapshot(path.join(root, 'docs/openapi.json'))
})

it('the document is a valid OpenAPI 3.1 document', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate({ ...structuredClone(document) })
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
  expect(validator.version).toBe('3.1')
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

it('the generated types of the document are up to date', async () => {
  const types = await generateTypes(document)
  await expect(types).toMatchFileSnapshot(path.join(import.meta.dirname, 'openapi-types.d.ts'))
})
