import type { Client } from '../../../clients/client.ts'
import { documentOf } from '../../../clients/documents/document-application.ts'
import { html, type Html } from '../../../http/html.ts'
import { quotableText } from '../../../http/pages/display-text.ts'
import type { Reader } from '../reader-formats.ts'

/** How an application with a metadata document calls itself, in the words of the consent page. */
export function selfDescription(
  { texts, service }: { readonly texts: Reader; readonly service: string },
  client: Client,
): Html | undefined {
  const document = documentOf(client)
  if (!document) return undefined
  const text = document.isVerified ? 'documentVerifiedName' : 'documentCallsItself'
  return html`<span class="muted small"
    >${texts.html(text, { name: quotableText(client.name), service })}</span
  >`
}
