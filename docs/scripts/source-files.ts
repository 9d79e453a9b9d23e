import path from 'node:path'
import { Node, type Project, type SourceFile, type Statement } from 'ts-morph'

/**
 * Writes the page that has one line for each file of the sources: what it exports, and what its comments begin with.
 *
 * @param project has all files of the sources
 * @throws {Error} if a file neither begins with a comment, nor has an export with a doc comment
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
    '<!-- Generated from the comments by `npm run docs:reference`. Edit the sources instead. -->',
    '# Source files',
    'For contributors: every file with what it decides, the functions and values that it exports, and after “inside” the constants and functions that it keeps to itself. Search this page for a word of what you look for. ' +
      '[Architecture](../architecture.md) has the way of a request. [All reference pages](README.md)',
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
  // The longest functions say most about the file.
  const [main, ...others] = exported
    .map((each) => ({ each, sentences: sentencesOf(docOf(each)) }))
    .filter(({ sentences }) => sentences.length > 0)
    .toSorted((a, b) => Number(isFunction(b.each)) - Number(isFunction(a.each)) || widthOf(b) - widthOf(a))
  const next = others.filter(({ each }) => isFunction(each)).flatMap(({ sentences }) => sentences.slice(0, 1))
  const sentences = [
    ...sentencesOf(ownComment(file)).slice(0, 1),
    ...(main?.sentences ?? []).slice(0, 2),
    ...next.slice(0, 1),
  ]
  const text = sentences.join('. ') || reexports(file)
  if (text === '') throw new Error(`no comment says what ${file.getFilePath()} does`)
  const names = values.map((each) => `\`${nameWithValue(each)}\``).join(', ')
  const inside = namesInside(file)
    .map((each) => `\`${each}\``)
    .join(', ')
  const all = [names, inside && `inside: ${inside}`].filter((each) => each !== '').join('; ')
  return `- \`${name}\`: ${text}${all && ` (${all})`}`
}

/** What a file does not export: its constants, which are often the rule, such as `MAX_SESSIONS = 50`, and its functions. */
function namesInside(file: SourceFile): string[] {
  const constants = file.getVariableStatements().filter((each) => !each.isExported())
  const functions = file
    .getFunctions()
    .flatMap((each) => [...(each.isExported() ? [] : [each]), ...each.getFunctions()])
  return [
    ...constants.map((each) => nameWithValue(each)).filter((each) => RULE.test(each) && !UNIT.test(each)),
    ...functions.map((each) => nameOf(each)),
  ]
}

const RULE = /^[A-Z][A-Z\d_]+(?: = [^/]|$)/
const UNIT = /^(?:DAY|HOUR|MINUTE)(?:_MS|_SECONDS)?\b/

/** With the value of a constant if it is short: a number, a text, or some of them. */
function nameWithValue(statement: Statement): string {
  const name = nameOf(statement)
  const [declaration] = Node.isVariableStatement(statement) ? statement.getDeclarations() : []
  const value = (declaration?.getInitializer()?.getText() ?? '').replace(/ as const$/, '')
  const isShown = /^[A-Z]/.test(name) && value.length <= 60 && /^[\w\s{}[\]:,.'/*+-]+$/.test(value)
  return isShown && /[\d']/.test(value) ? `${name} = ${value}` : name
}

const widthOf = ({ each }: { readonly each: Statement }) => each.getWidth()

function nameOf(statement: Statement): string {
  if (Node.isVariableStatement(statement)) return statement.getDeclarations()[0]?.getName() ?? ''
  return Node.isFunctionDeclaration(statement) || Node.isClassDeclaration(statement)
    ? (statement.getName() ?? '')
    : ''
}

/** The comment about the whole file: a paragraph of its own before the first export. */
function ownComment(file: SourceFile): string {
  const [head = ''] = file.getFullText().split(/^(?:export (?!\{|type \{)|\/\*\*)/m)
  const paragraphs = head.split('\n\n').map((each) => each.replaceAll(/^\/\/ Model: .*\n?/gm, ''))
  const own = paragraphs.find(
    (each) => /^(?:\/\/ .*(?:\n|$))+$/.test(each) && !each.includes('eslint-disable'),
  )
  return own?.replaceAll(/^\/\/ ?/gm, '') ?? ''
}

function docOf(statement: Statement): string {
  const docs = Node.isJSDocable(statement) ? statement.getJsDocs() : []
  return docs.at(-1)?.getDescription().trim() ?? ''
}

/** The sentences of the first paragraph of a comment, without full stops. */
function sentencesOf(text: string): string[] {
  const [paragraph = ''] = text.replace(/^\d+\. /, '').split(/\n\n|^Relies on:/m)
  return paragraph
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .split(/(?<=\.)\s(?=[A-Z`{])/)
    .map((each) => each.trim().replace(/[.:]$/, ''))
    .filter((each) => each !== '' && !/^RFC [\d .]+$/.test(each))
}

const reexports = (file: SourceFile) =>
  file.getExportDeclarations().length > 0
    ? 'An entry of the package: exports only what other files define'
    : ''
