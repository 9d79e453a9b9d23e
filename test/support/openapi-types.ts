import { register } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const root = path.resolve(import.meta.dirname, '../..')

/**
 * The types of an OpenAPI document. openapi-typescript works with TypeScript 5, whose compiler API TypeScript 7 no
 * longer has. ts-morph contains TypeScript 5.
 */
export async function typesOf(openapi: object): Promise<string> {
  const compiler = path.join(root, 'node_modules/@ts-morph/common/dist/typescript.js')
  const hook = `export const resolve = (specifier, context, next) =>
    specifier === 'typescript' ? next(${JSON.stringify(pathToFileURL(compiler).href)}, context) : next(specifier, context)`
  register(`data:text/javascript,${encodeURIComponent(hook)}`)
  const { default: generate, astToString } = await import('openapi-typescript')
  return astToString(await generate(structuredClone(openapi) as Parameters<typeof generate>[0]))
}
