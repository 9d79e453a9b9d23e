import { html, type Html, type HtmlValue } from '../../http/html.ts'
import { displayText } from '../../http/pages/display-text.ts'
import { choiceLinks } from '../elements/choice-links.ts'
import type { Call, View } from '../page.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'

/** The services that the pages of operators use. */
export type OperatorServices = Pick<
  ConsoleServices,
  | 'apiKeys'
  | 'applications'
  | 'grants'
  | 'tokens'
  | 'audit'
  | 'signingKeys'
  | 'accounts'
  | 'catalog'
  | 'health'
>

/** The path and the name of each page that does not belong to one client or account. */
const PAGES: readonly (readonly [string, TextName])[] = [
  ['/operator', 'operatorNavSearch'],
  ['/operator/signing-keys', 'operatorNavKeys'],
  ['/operator/health', 'operatorNavHealth'],
  ['/operator/audit', 'operatorNavAudit'],
]

/** A page of operators, with links to the others. @param path the path of the page, if it is one of `PAGES` */
export function operatorView(
  { texts, to }: Pick<Call, 'texts' | 'to'>,
  page: { title: string; heading?: HtmlValue; path?: string | undefined },
  content: HtmlValue,
): View {
  const links = PAGES.map(([path, name]) => ({
    href: to(path),
    text: texts.html(name),
    isCurrent: path === page.path,
  }))
  return {
    title: page.title,
    body: html`${choiceLinks(texts.plain('operatorNav'), links)}
      <h1>${page.heading ?? page.title}</h1>
      ${content}`,
  }
}

/** The path of the operators' page of a client. */
export function clientPath(clientId: string): string {
  return `/operator/clients/${encodeURIComponent(clientId)}`
}

/** The holder of what a page is about: an account, or one of its users. */
export interface Holder {
  readonly accountId: string
  readonly userId?: string
}

/** The path of the operators' page of an account or user. */
export function holderPath({ accountId, userId }: Holder): string {
  const user = userId === undefined ? '' : `/users/${encodeURIComponent(userId)}`
  return `/operator/accounts/${encodeURIComponent(accountId)}${user}`
}

/** A link to the page of an account or user. */
export function holderLink({ to }: Pick<Call, 'to'>, holder: Holder): Html {
  const { accountId, userId } = holder
  return html`<a href="${to(holderPath(holder))}"
    ><bdi>${displayText(userId === undefined ? accountId : `${accountId}/${userId}`, 200)}</bdi></a
  >`
}
