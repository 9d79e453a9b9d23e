/** Makes the types of the management API from its OpenAPI document, as a user of the API does. `npm run check:foreign` compiles them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const { default: openapiTS, astToString } = await import('openapi-typescript').catch(() => {
  throw new Error('Run: npm ci --prefix test/foreign')
})

const folder = path.join(import.meta.dirname, 'generated')
const document = JSON.parse(await readFile(path.join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'))
await mkdir(folder, { recursive: true })
await writeFile(path.join(folder, 'management.d.ts'), astToString(await openapiTS(document)))
