import {
  fileCutOff,
  fileRejected,
  lineRejected,
  readHeader,
  readLine,
  readTrailer,
  type Header,
} from './file-format.ts'
import { parseJson } from '../../validation/parse-json.ts'
import { readLines, type Chunks } from './read-lines.ts'
import type { ImportLine, Section } from './section.ts'
import { SIGNING_KEYS } from './signing-keys.ts'
import type { Sections } from './create-sections.ts'

export interface CheckedLine {
  readonly is: string
  readonly header: Header
  readonly importLine: ImportLine
}

export interface CheckedFile {
  readonly header: Header
  readonly skipped: readonly string[]
}

/** Checks a file line by line. Resolves if it is complete and its line counts are right. */
export async function checkFile(
  parts: Sections,
  chunks: Chunks,
  onLine: (line: CheckedLine) => Promise<void> | void,
): Promise<CheckedFile> {
  const counted: Record<string, number> = {}
  let header: Header | undefined
  let skipped: readonly string[] | undefined
  for await (const line of readLines(chunks)) {
    if (header === undefined) {
      header = readHeader(line)
      continue
    }
    const { number } = line
    if (line.isCut && parseJson(line.text) === undefined) throw fileCutOff()
    const { is, ...fields } = readLine(line)
    if (skipped) throw lineRejected(number, 'comes after the line "end", which must be the last line')
    if (is === 'end') {
      skipped = readTrailer(number, fields, counted)
      continue
    }
    if (header.signingKeys && Object.keys(counted).length === 0 && is !== SIGNING_KEYS) {
      throw fileRejected(`line ${number} must have the signing keys`)
    }
    counted[is] = (counted[is] ?? 0) + 1
    const importLine = await findSection(parts, number, is).parseLine(fields, number)
    await onLine({ is, header, importLine })
  }
  if (!header) throw fileRejected('it is empty')
  if (!skipped) throw fileCutOff()
  return { header, skipped }
}

function findSection({ sections }: Sections, number: number, kind: string): Section {
  const section = Object.values(sections).find(({ is }) => is === kind)
  if (section) return section
  throw lineRejected(number, 'is of a kind that this version of koa-gatehouse does not know')
}
