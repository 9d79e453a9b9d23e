import path from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { format } from 'prettier'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { typesOf } from '../../support/openapi-types.ts'
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

it('the linter redocly finds nothing with its recommended rules', async () => {
  const { createConfig, lintFromString } = await import('@redocly/openapi-core')
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(document)
  const found = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})

it('the linter Spectral finds nothing with its rules for OpenAPI', async () => {
  const [{ default: core }, { default: rulesets }] = await Promise.all([
    import('@stoplight/spectral-core'),
    import('@stoplight/spectral-rulesets'),
  ])
  const spectral = new core.Spectral()
  spectral.setRuleset(new core.Ruleset({ extends: [rulesets.oas] }))
  const found = await spectral.run(structuredClone(document) as object as Record<string, unknown>)
  expect(found.map(({ code, message, path: at }) => `${code} ${at.join('/')}: ${message}`)).toEqual([])
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

it('openapi-types.d.ts has the types that openapi-typescript makes from the document', async () => {
  // `npm run check:types` compiles whole-life.test.ts, company.test.ts and typed-problems.test.ts with these types. After a
  // change of the API, run this file with `--update`.
  await expect(await typesOf(document)).toMatchFileSnapshot(
    path.join(import.meta.dirname, 'openapi-types.d.ts'),
  )
}, 60_000)
