import type { ConsoleServices } from '../services.ts'
import type { Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { runAction } from '../../front-door/run-client-action.ts'
import { hasCode, type GatehouseError } from '../../../errors.ts'
import { html, type Html } from '../../../http/html.ts'
import { displayText, applicationName } from '../../../http/pages/display-text.ts'
import { isCorruptRecord } from '../../../store/corrupt-record.ts'
import { PAGE_LIMIT } from '../../../validation/page-limit.ts'
import { buttons, panel, notice } from '../elements/elements.ts'
import { choice, form } from '../elements/form.ts'
import type { Call, Page, View } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { clientPagesOf, countsOf, holdingsOf } from './holdings.ts'
import { holderOf, holderPath, operatorPage, operatorView, type Holder, clientPath } from './operator-page.ts'
import { ROWS_PER_PAGE } from '../elements/pager.ts'
import { whyNotAuthenticated } from '../../../clients/why-no-token.ts'

const END_SECRETS = 'endSecrets'

/** The confirmation before everything of an account or user is revoked, and the result afterwards. */
export function revokePages(services: ConsoleServices): Page[] {
  return ['/operator/accounts/:accountId/revoke', '/operator/accounts/:accountId/users/:userId/revoke'].map(
    (path) =>
      operatorPage({
        path,
        freshSignIn: 'operator',
        show: (call) => confirmation(services, call),
        actions: { revokeAll: (call) => revokeAll(services, call) },
      }),
  )
}

/** Revokes everything of an account or user, and shows what was revoked, and what can still get tokens. */
async function revokeAll(services: ConsoleServices, call: Call): Promise<View> {
  const { texts, to } = call
  const holder = holderOf(call.params)
  const errors: GatehouseError[] = []
  const { clients, grants } = await services.tokens.revokeAll(holder, call.change).catch((error: unknown) => {
    // This error is thrown only after everything else was revoked, and its message says so.
    if (!isCorruptRecord(error)) throw error
    errors.push(error)
    return { clients: 0, grants: 0 }
  })
  // The secrets end last, because this also revokes a token that a client has got meanwhile.
  const isEnding = call.form.get(END_SECRETS) !== null
  const ended = isEnding ? await endSecrets(services, call, holder, errors) : 0
  const isComplete = errors.length === 0
  const isNothing = clients === 0 && grants === 0
  const lines = [
    clients > 0 && texts.html('operatorRevokedClients', { count: clients }),
    grants > 0 && texts.html('operatorRevokedGrants', { count: grants }),
    ended > 0 && texts.html('operatorEndedSecrets', { count: ended }),
  ].filter(Boolean)
  const done =
    (isComplete || lines.length > 0) &&
    notice(
      'good',
      html`${isComplete && isNothing && html`<p><strong>${texts.html('operatorRevokedNothing')}</strong></p>`}
      ${lines.map((line) => html`<p>${line}</p>`)}`,
    )
  const problems =
    !isComplete &&
    notice('warn', html`${errors.map(({ message }) => html`<p lang="en" dir="ltr">${message}</p>`)}`)
  return operatorView(
    { title: texts.plain(isComplete ? 'operatorRevokedTitle' : 'operatorPartly') },
    html`${problems} ${done}
      ${panel(
        { title: texts.html('operatorStillTitle') },
        html`${await stillUsable(services, call, holder)}
          <p class="muted">${texts.html('operatorRevokeSession')}</p>`,
      )}
      <p><a href="${to(holderPath(holder))}">${texts.html('operatorBack')}</a></p>`,
  )
}

/** Reports each client as leaked. `errors` gets an error for each corrupt record. */
async function endSecrets(
  services: ConsoleServices,
  { caller, change }: Pick<Call, 'caller' | 'change'>,
  holder: Holder,
  errors: GatehouseError[],
): Promise<number> {
  let reported = 0
  const request = { parts: services, caller, change }
  for await (const clients of clientPagesOf(services, holder)) {
    const report = async (client: Client) => {
      try {
        await runAction(CLIENT_ACTIONS.reportCompromised, client, request)
        reported += 1
      } catch (error) {
        if (isCorruptRecord(error)) errors.push(error)
        // The client was deleted since it was listed.
        else if (!hasCode(error, 'ERR_NOT_FOUND')) throw error
      }
    }
    await Promise.all(clients.filter((client) => !isPublicClient(client)).map(report))
  }
  return reported
}

async function confirmation(services: ConsoleServices, call: Call): Promise<View> {
  const { texts, to } = call
  const holder = holderOf(call.params)
  const { accountId, userId } = holder
  const title: TextName = userId === undefined ? 'operatorRevokeAllTitle' : 'operatorRevokeUserTitle'
  const values = { account: displayText(accountId), user: displayText(userId ?? '') }
  const [keys, applications, grants] = countsOf(call, await holdingsOf(services, holder, PAGE_LIMIT.max))
  const rows = [
    [keys, 'operatorRevokeKeysText'],
    [applications, 'operatorRevokeApplicationsText'],
    [grants, 'operatorRevokeGrantsText'],
  ] as const
  const hits = rows.filter(([count]) => count !== undefined)
  const list = html`<ul class="plain-list stack">
    ${hits.map(
      ([count, text]) =>
        html`<li class="tight"><strong>${count}</strong><span class="muted">${texts.html(text)}</span></li>`,
    )}
  </ul>`
  return operatorView(
    { title: texts.plain(title, values), heading: texts.html(title, values) },
    html`${panel(
      { title: texts.html('operatorRevokeHits') },
      hits.length > 0 ? list : html`<p>${texts.html('operatorRevokeNothing')}</p>`,
    )}
    ${panel(
      { title: texts.html('operatorRevokeNot') },
      html`<ul class="points">
        <li>${texts.html('operatorRevokeSecrets')}</li>
        <li>${texts.html('operatorRevokeSession')}</li>
      </ul>`,
    )}
    ${panel(
      { title: texts.html('operatorRevokeAll'), isDanger: true },
      form(
        call,
        { action: 'revokeAll' },
        html`${(keys ?? applications) && endSecretsChoice(call)}
        ${buttons(call, 'operatorRevokeAll', to(holderPath(holder)))}`,
      ),
    )}`,
  )
}

function endSecretsChoice({ texts, form: sent }: Pick<Call, 'texts' | 'form'>): Html {
  const isChecked = sent.has(END_SECRETS)
  const box = html`<input type="checkbox" name="${END_SECRETS}" value="yes" ${isChecked && 'checked'} />`
  return html`<ul class="choices">
    <li>${choice(box, texts.html('operatorEndSecrets'), texts.html('operatorEndSecretsHint'))}</li>
  </ul>`
}

async function stillUsable(services: ConsoleServices, call: Call, holder: Holder): Promise<Html> {
  const { texts, to } = call
  const { items, hasMore } = await usableClients(services, holder)
  if (items.length === 0) return html`<p>${texts.html('operatorStillNone')}</p>`
  return html`<p>${texts.html('operatorStillText')}</p>
    <ul class="points">
      ${items.map(
        (client) =>
          html`<li>
            <a href="${to(clientPath(client.clientId))}"><bdi>${applicationName(client)}</bdi></a>
            <span class="muted small"
              >${texts.html(client.kind === 'apiKey' ? 'activityApiKey' : 'applicationLabel')}</span
            >
          </li>`,
      )}
    </ul>
    ${hasMore && html`<p class="muted">${texts.html('operatorStillMore', { count: ROWS_PER_PAGE })}</p>`}`
}

/** The clients of the holder that are enabled and have a valid secret. */
async function usableClients(services: ConsoleServices, holder: Holder) {
  const found: Client[] = []
  for await (const clients of clientPagesOf(services, holder)) {
    found.push(...clients.filter((client) => whyNotAuthenticated(client) === undefined))
    if (found.length > ROWS_PER_PAGE) return { items: found.slice(0, ROWS_PER_PAGE), hasMore: true }
  }
  return { items: found, hasMore: false }
}
