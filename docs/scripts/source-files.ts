import path from 'node:path'
import { Node, type Project, type SourceFile, type Statement } from 'ts-morph'

/**
 * Writes the page that has one line for each file of the sources: what it exports, and what its doc comments begin with.
 *
 * @param project has all files of the sources
 * @throws {Error} if no export of a file has a doc comment
 */
export function sourceFilesPage(root: string, project: Project): string {
  const byFolder = new Map<string, string[]>()
  const files = project.getSourceFiles([`${root}/src/**/*.ts`, `${root}/adapters/**/*.ts`])
  for (const file of files.toSorted(byPath)) {
    const name = path.relative(root, file.getFilePath())
    const folder = path.dirname(name)
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), row(path.basename(name), file)])
  }
  const sections = [...byFolder].map(([folder, rows]) => `## \`${folder}/\`\n\n${rows.join('\n')}`)
  return [
    '<!-- Generated from the doc comments by `npm run docs:reference`. Edit the sources instead. -->',
    '# Source files',
    'For contributors: every file with the functions and values that it exports, and the first sentence about the longest of them. Search this page for ' +
      'a word of what you look for. [Architecture](../architecture.md) has the way of a request. [All reference pages](README.md)',
    ...sections,
  ].join('\n\n')
}

const byPath = (one: SourceFile, other: SourceFile) => (one.getFilePath() < other.getFilePath() ? -1 : 1)

function row(name: string, file: SourceFile): string {
  const exported = file.getStatements().filter((each) => Node.isExportable(each) && each.isExported())
  const values = exported.filter(
    (each) =>
      Node.isFunctionDeclaration(each) || Node.isVariableStatement(each) || Node.isClassDeclaration(each),
  )
  const isFunction = (each: Statement) =>
    values.some((value) => value === each) && !/^[A-Z_]+$/.test(nameOf(each))
  // The longest function says most about the file.
  const main = exported
    .filter((each) => sentenceOf(each) !== '')
    .toSorted((a, b) => Number(isFunction(b)) - Number(isFunction(a)) || b.getWidth() - a.getWidth())[0]
  const sentence = main ? sentenceOf(main) : reexports(file)
  if (sentence === '') throw new Error(`no export of ${file.getFilePath()} has a doc comment`)
  const names = values.map((each) => `\`${nameOf(each)}\``).join(', ')
  return `- \`${name}\`: ${sentence}${names && ` (${names})`}`
}

function nameOf(statement: Statement): string {
  if (Node.isVariableStatement(statement)) return statement.getDeclarations()[0]?.getName() ?? ''
  return Node.isFunctionDeclaration(statement) || Node.isClassDeclaration(statement)
    ? (statement.getName() ?? '')
    : ''
}

/** The first sentence of a doc comment; empty if there is none. */
function sentenceOf(statement: Statement): string {
  if (!Node.isJSDocable(statement)) return ''
  const text =
    statement
      .getJsDocs()
      .at(-1)
      ?.getDescription()
      .trim()
      .replace(/^\d+\. /, '') ?? ''
  return (text.split(/(?<=\.)\s(?=[A-Z])|\n\n/)[0] ?? '').replaceAll(/\s+/g, ' ').replace(/[.:]$/, '')
}

const reexports = (file: SourceFile) =>
  file.getExportDeclarations().length > 0
    ? 'An entry of the package: exports only what other files define'
    : ''
