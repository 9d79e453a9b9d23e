import type { Pair } from './request.ts'

/** One response, parsed from the bytes of a connection. */
export interface Answer {
  readonly status: number
  readonly headers: readonly Pair[]
  /** The body without the chunked encoding. */
  readonly body: string
}

/** Returns the value of the first header with a name, or an empty text if the header is absent. */
export function headerOf({ headers }: Answer, name: string): string {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? ''
}

/** Parses the bytes of a connection into responses. Interim responses (1xx) are omitted. */
export function readAnswers(received: string): Answer[] {
  const answers: Answer[] = []
  for (let rest = received; rest.startsWith('HTTP/1.1 ');) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) break
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = lines.map((line): Pair => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
    const answer = { status: Number(first.slice(9, 12)), headers, body: '' }
    rest = rest.slice(end + 4)
    if (answer.status < 200) continue
    const [body, length] = readBody(answer, rest)
    answers.push({ ...answer, body })
    rest = rest.slice(length)
  }
  return answers
}

function readBody(answer: Answer, rest: string): readonly [body: string, length: number] {
  if (answer.status === 204 || answer.status === 304) return ['', 0]
  // A response to HEAD has no body, even with a Content-Length.
  if (rest === '' || rest.startsWith('HTTP/1.1 ')) return ['', 0]
  if (headerOf(answer, 'transfer-encoding') === 'chunked') return readChunks(rest)
  const length = Number(headerOf(answer, 'content-length') || rest.length)
  return [rest.slice(0, length), length]
}

function readChunks(text: string): readonly [body: string, length: number] {
  let body = ''
  let at = 0
  for (;;) {
    const end = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, end), 16)
    if (end < 0 || !(size > 0)) return [body, end < 0 ? text.length : end + 4]
    body += text.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
  }
}
