import type { ConsoleServices } from '../services.ts'
import { html, type Html } from '../../http/html.ts'
import type { Health } from '../../health/health-report.ts'
import { findClients } from '../activity/find-clients.ts'
import { badge, notice, panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import type { Call, Page, View } from '../page.ts'
import { clientPath, holderPath, operatorPage, operatorView, type Holder } from './operator-page.ts'

const PATH = '/operator'

/** The start page of operators: a search by exact ids, and the health in short. */
export function searchPage(services: ConsoleServices): Page {
  const { accounts, health } = services

  /** The path of what has exactly this id. A user is written `account/user`. */
  async function findPath(id: string): Promise<string | undefined> {
    const slash = id.lastIndexOf('/')
    const [clients, account] = await Promise.all([
      findClients(services, [{ clientId: id }]),
      accounts.find(id),
    ])
    if (clients.has(id)) return clientPath(id)
    if (account) return holderPath({ accountId: id })
    if (slash < 1 || slash === id.length - 1) return undefined
    const user: Holder = { accountId: id.slice(0, slash), userId: id.slice(slash + 1) }
    return (await accounts.find(user.accountId, user.userId)) ? holderPath(user) : undefined
  }

  return operatorPage({
    path: PATH,
    show: async (call) => view(call, await health()),
    actions: {
      async find(call) {
        const id = (call.form.get('id') ?? '').trim()
        const path = id === '' ? undefined : await findPath(id)
        return path === undefined ? view(call, await health(), id) : { redirect: path }
      },
    },
  })
}

/** @param notFound the id that was not found */
function view(call: Call, health: Health, notFound?: string): View {
  const { texts, to } = call
  return operatorView(
    call,
    { title: texts.plain('navOperator'), path: PATH },
    html`${
      notFound !== undefined &&
      notice(
        'warn',
        html`<p><strong>${texts.html('operatorSearchNone')}</strong></p>
          ${
            notFound !== '' &&
            html`<p>
              ${texts.html('operatorSearchNoneWhy')}
              <a href="${to(holderPath({ accountId: notFound }))}"
                >${texts.html('operatorSearchNoneAccount')}</a
              >
              ·
              <a href="${to(clientPath(notFound))}">${texts.html('operatorSearchNoneClient')}</a>
            </p>`
          }`,
      )
    }
    ${panel({ title: texts.html('operatorSearchTitle') }, searchForm(call))}
    ${panel(
      { title: texts.html('operatorHealthTitle') },
      html`${healthSummary(call, health)}
        <p><a href="${to('/operator/health')}">${texts.html('operatorMore')}</a></p>`,
    )}`,
  )
}

function searchForm(call: Call): Html {
  const { texts } = call
  const id = field(call, {
    name: 'id',
    label: texts.html('operatorSearchField'),
    hint: texts.html('operatorSearchHint'),
    isRequired: true,
    isCode: true,
    isFocused: true,
    maxLength: 600,
    autocomplete: 'off',
  })
  return form(
    call,
    { action: 'find' },
    html`${id}
      <div class="buttons"><button class="primary">${texts.html('operatorSearchButton')}</button></div>`,
  )
}

/** Whether tokens can be issued, and how many checks pass. */
export function healthSummary({ texts }: Pick<Call, 'texts'>, { ready, checks }: Health): Html {
  const passed = checks.filter(({ status }) => status === 'pass').length
  const open = checks.length - passed
  return html`<p class="line">
    ${badge(texts.html(ready ? 'operatorHealthPass' : 'operatorHealthFail'), ready ? 'good' : 'bad')}
    <span>${texts.html(ready ? 'operatorReady' : 'operatorNotReady')}</span>
    ${open > 0 && badge(texts.html('operatorHealthOpen', { count: open }), 'warn')}
    <span class="muted">${texts.html('operatorHealthPassed', { count: passed })}</span>
  </p>`
}
