import type { ConsoleServices } from '../services.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { isExpired } from '../../../clients/expiry-policy.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { ownClient, pathOf, trail, type ClientKind } from '../clients/client-kind.ts'
import { copyable, emptyPanel, facts, heading, notice, panel } from '../elements/elements.ts'
import { page, type Call, type Page, type Texts } from '../page-types.ts'
import { guideValues, type GuideValues } from './guide-values.ts'
import { programsFor } from './programs.ts'
import { terminalSteps } from './terminal-steps.ts'

const REJECTED = {
  secret: 'guideAnswerClient401Hint',
  key: 'guideAnswerClient401Key',
  none: 'guideAnswerClient401Public',
} as const

/** How a program gets tokens and calls the API, with the client's own values. */
export function guidePage(kind: ClientKind, services: ConsoleServices): Page {
  return page<Client>({
    ...ownClient(kind, '/guide'),
    access: `${kind.permissions}:read`,
    async show(call) {
      const { texts, resource: client } = call
      const values = await guideValues(services, client)
      const name = applicationName(client)
      return {
        title: `${texts.plain('guideTitle')} · ${name}`,
        trail: trail(call, kind, client),
        body: html` ${heading(texts.html('guideTitle'), texts.html('guideIntro', { name }))}
        ${client.disabled && notice('warn', html`<p>${texts.html('guideDisabled')}</p>`)}
        ${isExpired(client) && notice('warn', html`<p>${texts.html('stateExpiredWhy')}</p>`)}
        ${content(call, kind, values, services)}`,
      }
    },
  })
}

function content(call: Call<Client>, kind: ClientKind, values: GuideValues, services: ConsoleServices): Html {
  const { texts, to, resource: client } = call
  const { documentationUrl, branding } = services
  const path = pathOf(kind, client)
  if (values.operations.length === 0) {
    const link = html`<a class="button primary" href="${to(path)}">${texts.html('guideOpenClient')}</a>`
    const hint = isGatewayKey(client) ? 'gatewayWhat' : 'guideNoOperationHint'
    return emptyPanel(texts.html('guideNoOperation'), texts.html(hint), link)
  }
  if (values.kind === 'application' && values.redirectUri === undefined) {
    const settings = to(`${path}/settings`)
    const link = html`<a class="button primary" href="${settings}">${texts.html('clientsSetRedirectUri')}</a>`
    return emptyPanel(texts.html('guideNoRedirect'), texts.html('guideNoRedirectHint'), link)
  }
  return html`${panel({ title: texts.html('guideSettings') }, valueFacts(call, values))}
  ${
    values.authentication === 'key'
      ? panel({ title: texts.html('guideAssertion') }, assertionFacts(call, values))
      : panel({ title: texts.html('guideTerminal') }, terminalSteps(call, values))
  }
  ${panel(
    { title: texts.html('guideProgram') },
    html`<p>${texts.html('guideProgramHint')}</p>
      ${
        values.authentication !== 'key' &&
        programsFor(values).map(
          ([name, text]) =>
            html`<details>
              <summary>${name}</summary>
              ${copyable(call, `program-${name}`, text, name)}
            </details>`,
        )
      }
      ${documentationUrl !== undefined && html`<p><a href="${documentationUrl}" rel="noreferrer">${texts.html('guideDocumentation', { service: branding.name })}</a></p>`}`,
  )}
  ${panel({ title: texts.html('guideAnswers') }, answers(call, values))}`
}

function answers({ texts }: Texts, { kind, authentication }: GuideValues): Html {
  const isKey = kind === 'apiKey'
  return facts([
    [texts.html('guideAnswerApi401'), texts.html(isKey ? 'guideAnswerKey401' : 'guideAnswerApp401')],
    [texts.html('guideAnswerApi403'), texts.html(isKey ? 'guideAnswerKey403' : 'guideAnswerApp403')],
    [texts.html('guideAnswerClient401'), texts.html(REJECTED[authentication])],
    [texts.html('guideAnswerGrant'), !isKey && texts.html('guideAnswerGrantHint')],
    ['429', texts.html('guideAnswer429Hint')],
    ['503', texts.html('guideAnswer503Hint')],
  ])
}

const code = (text: string) => html`<code dir="ltr">${text}</code>`

/** RFC 7523 3: the claims of the JWT that the program sends. */
function assertionFacts({ texts }: Texts, { clientId, issuer, keyIds }: GuideValues): Html {
  return html`<p>${texts.html('guideAssertionHint', { parameter: code('client_assertion') })}</p>
    ${facts([
      [code('client_assertion_type'), code('urn:ietf:params:oauth:client-assertion-type:jwt-bearer')],
      [code('alg'), code('ES256, RS256, PS256')],
      [code('kid'), html`<div class="tight">${keyIds.map(code)}</div>`],
      [code('iss, sub'), code(clientId)],
      [code('aud'), code(issuer)],
      [code('exp'), texts.html('guideAssertionExpiry')],
      [code('jti'), texts.html('guideAssertionId')],
    ])}`
}

const MAX_OPERATIONS = 12

function valueFacts(call: Texts, values: GuideValues): Html {
  const { texts } = call
  const { clientId, issuer, authorizationAddress, tokenAddress, revocationAddress, audience, redirectUri } =
    values
  const isApplication = values.kind === 'application'
  return facts([
    [texts.html('clientIdLabel'), copyable(call, 'guide-client-id', clientId)],
    authenticationFact(call, values),
    [texts.html('guideIssuer'), code(issuer)],
    [texts.html('guideAuthorizationAddress'), isApplication && code(authorizationAddress)],
    [texts.html('guideTokenAddress'), code(tokenAddress)],
    [texts.html('guideRevocationAddress'), code(revocationAddress)],
    [texts.html('guideRedirectUri'), redirectUri !== undefined && code(redirectUri)],
    [texts.html('guideAudience'), code(audience)],
    [texts.html('operationsLabel'), operationList(call, values)],
  ])
}

function authenticationFact({ texts }: Texts, { authentication }: GuideValues): readonly [Html, Html] {
  if (authentication === 'secret') {
    const variable = html`<code>CLIENT_SECRET</code>`
    return [texts.html('clientSecretLabel'), texts.html('guideSecretHint', { variable })]
  }
  const [name, text] =
    authentication === 'key'
      ? (['private_key_jwt', 'guideAuthenticationKey'] as const)
      : (['none', 'guideAuthenticationNone'] as const)
  return [texts.html('guideAuthentication'), texts.html(text, { method: html`<code>${name}</code>` })]
}

function operationList({ texts }: Texts, { operations }: GuideValues): Html {
  const others = operations.length - MAX_OPERATIONS
  return html`<ul class="plain-list">
    ${operations.slice(0, MAX_OPERATIONS).map(
      ({ title, routes }) =>
        html`<li>
          ${texts.localize(title)}
          <span class="muted small"
            >${
              routes.length > 0
                ? html`<code dir="ltr"
                    >${routes.map(({ method, path }) => `${method} ${path}`).join(', ')}</code
                  >`
                : texts.html('operationWithoutRoute')
            }</span
          >
        </li>`,
    )}
    ${others > 0 && html`<li class="muted">${texts.html('moreOthers', { count: others })}</li>`}
  </ul>`
}
