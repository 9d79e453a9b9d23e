import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../..')
export const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
export const filesIn = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.posix.join(folder, name),
  )

/** All documents, by their path from the root. */
export const documents = [...readdirSync(root), ...filesIn('docs'), 'test/README.md'].filter((file) =>
  file.endsWith('.md'),
)
/** Documents whose code blocks are examples. Those of the reference are signatures. */
export const withExamples = documents.filter((file) => !file.startsWith('docs/reference/'))

/** The code blocks of a document in one language. */
export function blocksOf(file: string, language: string): string[] {
  const fences = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm')
  return [...read(file).matchAll(fences)].map(([, indent = '', code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
}
