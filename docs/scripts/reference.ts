import path from 'node:path'
import {
  Node,
  Project,
  SyntaxKind,
  type ClassDeclaration,
  type FunctionDeclaration,
  type InterfaceDeclaration,
  type JSDocableNode,
  type MethodSignature,
  type PropertyDeclaration,
  type PropertySignature,
  type TypeAliasDeclaration,
} from 'ts-morph'
import { ENTRIES } from '../../rolldown.config.ts'
import { sourceFilesPage } from './source-files.ts'
import { REFERENCE_PAGES, type ReferencePage } from './reference-pages.ts'

/** What the generator can describe. */
type Declaration = InterfaceDeclaration | TypeAliasDeclaration | ClassDeclaration | FunctionDeclaration

/**
 * Writes the reference pages from the doc comments of the sources.
 *
 * @param root the folder of the package
 * @returns the text of each page by its path below `docs/reference/`
 * @throws {Error} if an exported name is on no page, or a page names something that is not exported
 */
export function referencePages(root: string): Map<string, string> {
  const project = new Project({
    tsConfigFilePath: path.join(root, 'tsconfig.json'),
    skipAddingFilesFromTsConfig: true,
  })
  const exported = new Map<string, Declaration>()
  for (const { source } of ENTRIES) {
    for (const [name, declarations] of project
      .addSourceFileAtPath(path.join(root, source))
      .getExportedDeclarations()) {
      // Of an overloaded function the overloads are described, which come first.
      const [declaration] = declarations.filter(isDeclaration)
      if (declaration) exported.set(name, declaration)
    }
  }
  project.resolveSourceFileDependencies()
  // Interfaces that an exported interface extends or names, but that have no export of their own.
  for (const file of project.getSourceFiles()) {
    for (const declaration of file.getInterfaces()) {
      const name = declaration.getName()
      if (!exported.has(name) && REFERENCE_PAGES.some(({ parts }) => parts.includes(name))) {
        exported.set(name, declaration)
      }
    }
  }
  const described = REFERENCE_PAGES.flatMap(({ parts }) => parts)
  const missing = [...exported.keys()].filter((name) => !described.includes(name))
  if (missing.length > 0) throw new Error(`docs/scripts/reference-pages.ts lacks: ${missing.join(', ')}`)

  const pages = REFERENCE_PAGES.map((page): [string, string] => [`${page.file}.md`, pageText(page, exported)])
  project.addSourceFilesAtPaths(path.join(root, 'src/**/*.ts'))
  const files = ['source-files.md', sourceFilesPage(root, project)] as const
  return new Map([['README.md', indexText()], ...pages, files])
}

function isDeclaration(node: Node): node is Declaration {
  return (
    Node.isInterfaceDeclaration(node) ||
    Node.isTypeAliasDeclaration(node) ||
    Node.isClassDeclaration(node) ||
    Node.isFunctionDeclaration(node)
  )
}

function indexText(): string {
  const names = REFERENCE_PAGES.flatMap(({ file, parts }) => parts.map((name) => ({ name, file })))
  const links = names
    .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
    .map(({ name, file }) => `[\`${name}\`](${file}.md#${name.toLowerCase()})`)
  const rows = REFERENCE_PAGES.map(({ file, title, about }) => `| [${title}](${file}.md) | ${about} |`)
  return [
    '# Reference',
    'These pages are generated from the doc comments of the sources. `npm run docs:reference` writes them.',
    [
      '| page | describes |',
      '| --- | --- |',
      ...rows,
      '| [Source files](source-files.md) | for contributors: every file in one line |',
    ].join('\n'),
    '## All names',
    links.join(' · '),
    '[All documents](../README.md)',
  ].join('\n\n')
}

function pageText(
  { title, about, parts }: ReferencePage,
  exported: ReadonlyMap<string, Declaration>,
): string {
  const sections = parts.map((name) => {
    const declaration = exported.get(name)
    if (declaration === undefined) throw new Error(`docs/scripts/reference-pages.ts: nothing exports ${name}`)
    return sectionText(name, declaration)
  })
  return [
    '<!-- Generated from the doc comments by `npm run docs:reference`. Edit the sources instead. -->',
    `# ${title}`,
    `${about} [All reference pages](README.md)`,
    ...sections,
  ].join('\n\n')
}

function sectionText(name: string, declaration: Declaration): string {
  const heading = `## ${Node.isFunctionDeclaration(declaration) ? `\`${name}()\`` : `\`${name}\``}`
  if (Node.isFunctionDeclaration(declaration)) return [heading, ...functionText(declaration)].join('\n\n')
  if (Node.isTypeAliasDeclaration(declaration)) {
    const constant = keysOf(declaration)
    if (constant) return [heading, ...docText(declaration), ...constant].join('\n\n')
    const literal = declaration.getTypeNode()
    const members = literal && Node.isTypeLiteral(literal) ? literal.getProperties() : []
    const type =
      members.length > 0 ? '' : code(withoutComments(declaration.getText()).replace(/^export /, ''))
    return [heading, ...docText(declaration), type, ...members.map((member) => propertyText(member))]
      .filter(Boolean)
      .join('\n\n')
  }
  const bases = Node.isInterfaceDeclaration(declaration)
    ? declaration.getExtends().map((base) => `\`${base.getText().replace(/\s+/g, ' ')}\``)
    : []
  const properties: PropertySignature[] = Node.isInterfaceDeclaration(declaration)
    ? declaration.getProperties()
    : []
  const fields = Node.isClassDeclaration(declaration)
    ? declaration.getProperties().filter((property) => property.getJsDocs().length > 0)
    : properties
  const methods = Node.isInterfaceDeclaration(declaration) ? declaration.getMethods() : []
  return [
    heading,
    ...docText(declaration),
    bases.length > 0 ? `Has everything of ${bases.join(' and ')}, and:` : '',
    ...fields.map((field) => propertyText(field)),
    ...[...new Set(methods.map((method) => method.getName()))].map((name) =>
      methodText(
        name,
        methods.filter((method) => method.getName() === name),
      ),
    ),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The properties of the constant object whose keys a type lists, as in `keyof typeof STATUS`; undefined for other types. */
function keysOf(declaration: TypeAliasDeclaration): string[] | undefined {
  const [, name = ''] =
    declaration
      .getTypeNode()
      ?.getText()
      .match(/keyof typeof (\w+)/) ?? []
  const constant = declaration.getSourceFile().getVariableDeclaration(name)
  const properties = constant?.getFirstDescendantByKind(SyntaxKind.ObjectLiteralExpression)?.getProperties()
  return properties?.filter(Node.isPropertyAssignment).map((property) => {
    const comments = property.getLeadingCommentRanges().map((range) => commentText(range.getText()))
    const value = property.getInitializerOrThrow()
    const paragraphs = Node.isStringLiteral(value)
      ? [[`“${value.getLiteralText()}”`, ...comments].join('\\\n')]
      : [`HTTP status ${value.getText()}.`, ...comments]
    return [`### \`${property.getName()}\``, ...paragraphs].join('\n\n')
  })
}

/** The text of a doc comment without its marks. */
function commentText(comment: string): string {
  return comment.replace(/^\/\*\*\s*|\s*\*\/$/g, '').replace(/\n\s*\* ?/g, '\n')
}

/** A property: its name, type, default and doc comment. A long type is in a code block. */
function propertyText(property: PropertySignature | PropertyDeclaration): string {
  const type = (property.getTypeNode()?.getText() ?? property.getType().getText()).replace(
    /\s+\| undefined$/,
    '',
  )
  const isLong = type.length > 70
  const fallback = tagsOf(property).find(({ kind }) => kind === 'default')
  const facts = [
    isLong ? '' : `\`${oneLine(type).replace(/^\| /, '')}\``,
    property.hasQuestionToken() ? 'optional' : '',
    fallback ? `default: ${defaultText(fallback.text)}` : '',
  ]
  return [
    `### \`${property.getName().replace(/^'|'$/g, '')}\``,
    facts.filter(Boolean).join(', '),
    isLong ? code(type) : '',
    ...docText(property),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** A method with all its overloads. */
function methodText(name: string, overloads: readonly MethodSignature[]): string {
  const calls = overloads.flatMap((method) => [code(withoutComments(method.getText())), ...docText(method)])
  return [`### \`${name}()\``, ...calls].join('\n\n')
}

function functionText(declaration: FunctionDeclaration): string[] {
  const overloads = declaration.getOverloads()
  return (overloads.length > 0 ? overloads : [declaration]).flatMap((one) => {
    const length = (one.getBody()?.getStart() ?? one.getEnd()) - one.getStart()
    return [
      code(
        one
          .getText()
          .slice(0, length)
          .replace(/^export /, ''),
      ),
      ...docText(one),
    ]
  })
}

const withoutComments = (text: string) => text.replace(/\/\*\*[^]*?\*\/\s*/g, '')

function tagsOf(node: JSDocableNode) {
  const [doc] = node.getJsDocs().slice(-1)
  return (doc?.getTags() ?? []).map((tag) => ({
    kind: tag.getTagName(),
    name: Node.isJSDocParameterTag(tag) ? tag.getName() : '',
    text: tag.getCommentText() ?? '',
  }))
}

/** The doc comment of a declaration as paragraphs, with its parameters, result and errors as a list. */
function docText(node: JSDocableNode): string[] {
  const [doc] = node.getJsDocs().slice(-1)
  if (doc === undefined) return []
  const facts = tagsOf(node).flatMap(({ kind, name, text }) => {
    if (kind === 'default') return []
    if (kind === 'param')
      return `- \`${name}${text.match(/^\.\S+/)?.[0] ?? ''}\`: ${oneLine(text.replace(/^\.\S+ /, ''))}`
    if (kind === 'returns') return `- Returns ${oneLine(text)}`
    if (kind === 'throws') return `- Throws ${oneLine(text)}`
    throw new Error(`unknown tag @${kind}`)
  })
  return [doc.getDescription().trim(), facts.join('\n')].filter(Boolean)
}

/** A default as the comment has it: a value, and words about it in parentheses; or a description. */
function defaultText(text: string): string {
  const [, value, words = ''] = oneLine(text).match(/^('[^']*'|`[^`]*`|\d+|true|false|\[\])( \(.*\))?$/) ?? []
  if (value === undefined) return oneLine(text)
  return `${value.startsWith('`') ? value : `\`${value}\``}${words}`
}

const oneLine = (text: string) => text.replace(/\s*\n\s*/g, ' ').trim()

/** A code block, without the indentation that the lines after the first have in the source. */
function code(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n')
  const indent = Math.min(...rest.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return ['```ts', first, ...rest.map((line) => line.slice(indent)), '```'].join('\n')
}
