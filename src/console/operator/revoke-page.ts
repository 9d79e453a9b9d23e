import type { RevokedAccess } from '../../access/revoke-account.ts'
import { GatehouseError } from '../../errors.ts'
import { html, type Html } from '../../http/html.ts'
import { displayText } from '../../http/pages/display-text.ts'
import { notice, panel } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page.ts'
import type { TextName } from '../texts.ts'
import { holderOf } from './account-page.ts'
import { holdingsOf } from './holdings.ts'
import { change, holderPath, operatorView, type Holder, type OperatorServices } from './operator-page.ts'

/** The highest number that is counted exactly. */
const MAX_COUNT = 500

/** The confirmation before everything of an account or user is revoked, and the result afterwards. */
export function revokePages(services: OperatorServices): Page[] {
  const { tokens } = services
  return ['/operator/accounts/:accountId/revoke', '/operator/accounts/:accountId/users/:userId/revoke'].map(
    (path) =>
      page({
        path,
        section: 'operator',
        access: 'operator',
        show: (call) => confirmation(services, call),
        actions: {
          revokeAll: {
            access: 'operator',
            async run(call) {
              const holder = holderOf(call.params)
              try {
                return result(call, holder, await change(tokens.revokeAll(holder, call.change)))
              } catch (error) {
                // Everything else was revoked before this error is thrown. Its message says so.
                if (!(error instanceof GatehouseError) || error.code !== 'ERR_STORE_CORRUPT') throw error
                return partial(call, holder, error)
              }
            },
          },
        },
      }),
  )
}

function titleOf({ texts }: Pick<Call, 'texts'>, { accountId, userId }: Holder) {
  const name: TextName = userId === undefined ? 'operatorRevokeAllTitle' : 'operatorRevokeUserTitle'
  const values = { account: displayText(accountId), user: displayText(userId ?? '') }
  return { title: texts.plain(name, values), heading: texts.html(name, values) }
}

async function confirmation(services: OperatorServices, call: Call): Promise<View> {
  const { texts, to } = call
  const holder = holderOf(call.params)
  const { apiKeys, applications, grants } = await holdingsOf(services, holder, MAX_COUNT)
  const count = (
    exact: TextName,
    more: TextName,
    { items, hasMore }: { items: readonly unknown[]; hasMore: boolean },
  ) => texts.html(hasMore ? more : exact, { count: items.length })
  const rows = [
    [count('operatorKeys', 'operatorMoreKeys', apiKeys), 'operatorRevokeKeysText'],
    [
      count('operatorApplications', 'operatorMoreApplications', applications),
      'operatorRevokeApplicationsText',
    ],
    [count('operatorGrants', 'operatorMoreGrants', grants), 'operatorRevokeGrantsText'],
  ] as const
  const hits = html`<ul class="plain-list stack">
    ${rows.map(([what, text]) => html`<li class="tight"><strong>${what}</strong><span class="muted">${texts.html(text)}</span></li>`)}
  </ul>`
  return operatorView(
    call,
    titleOf(call, holder),
    panel(
      { title: texts.html('operatorRevokeHits'), isDanger: true },
      html`${hits}
        <p>${texts.html('operatorRevokeSecrets')}</p>
        ${form(
          call,
          { action: 'revokeAll' },
          html`<div class="buttons">
            <button class="danger">${texts.html('operatorRevokeAllButton')}</button>
            <a class="button plain" href="${to(holderPath(holder))}">${texts.html('cancelLink')}</a>
          </div>`,
        )}`,
    ),
  )
}

function result(call: Call, holder: Holder, { clients, grants }: RevokedAccess): View {
  const { texts } = call
  const done = notice(
    'good',
    html`<p><strong>${texts.html('operatorRevokedTitle')}</strong></p>
      <p>
        ${texts.html('operatorRevokedClients', { count: clients })}
        ${texts.html('operatorRevokedGrants', { count: grants })}
      </p>`,
  )
  return operatorView(
    call,
    { title: texts.plain('operatorRevokedTitle') },
    html`${done} ${back(call, holder)}`,
  )
}

function partial(call: Call, holder: Holder, { message }: GatehouseError): View {
  const { texts } = call
  const problem = notice('warn', html`<p lang="en" dir="ltr">${message}</p>`)
  return operatorView(call, { title: texts.plain('operatorPartly') }, html`${problem} ${back(call, holder)}`)
}

function back({ texts, to }: Pick<Call, 'texts' | 'to'>, holder: Holder): Html {
  return html`<p><a href="${to(holderPath(holder))}">${texts.html('operatorBack')}</a></p>`
}
