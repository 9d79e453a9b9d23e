import { register } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'prettier'

/**
 * Generates the types of an OpenAPI document, as a user of the API does with openapi-typescript. That package
 * works with TypeScript 5, whose compiler API TypeScript 7 no longer has. ts-morph contains TypeScript 5.
 */
export async function generateTypes(document: object): Promise<string> {
  const compiler = path.resolve(
    import.meta.dirname,
    '../../../node_modules/@ts-morph/common/dist/typescript.js',
  )
  const hook = `export const resolve = (specifier, context, next) =>
    specifier === 'typescript' ? next(${JSON.stringify(pathToFileURL(compiler).href)}, context) : next(specifier, context)`
  register(`data:text/javascript,${encodeURIComponent(hook)}`)
  const { default: generate, astToString } = await import('openapi-typescript')
  const nodes = await generate(structuredClone(document) as Parameters<typeof generate>[0])
  return format(astToString(nodes), {
    parser: 'typescript',
    singleQuote: true,
    semi: false,
    printWidth: 110,
    trailingComma: 'all',
  })
}
