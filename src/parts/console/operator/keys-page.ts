import type { ConsoleServices } from '../services.ts'
import { GatehouseError } from '../../../errors.ts'
import { html, type Html } from '../../../http/html.ts'
import type { SigningKeyInfo } from '../../../keys/signing-keys.ts'
import { actionRow, badge, buttons, columns, facts, panel, table } from '../elements/elements.ts'
import { confirmLink } from '../elements/confirm.ts'
import { form } from '../elements/form.ts'
import type { Call, Page } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { operatorPage, operatorView } from './operator-page.ts'

const PATH = '/operator/signing-keys'

const ROTATE = { title: 'operatorRotateTitle', what: 'operatorRotateText', button: 'operatorRotate' } as const

const STATES = {
  next: ['operatorKeyNext', undefined],
  current: ['operatorKeyCurrent', 'good'],
  previous: ['operatorKeyPrevious', 'warn'],
  retired: ['operatorKeyRetired', undefined],
  revoked: ['operatorKeyRevoked', 'bad'],
} as const satisfies Record<SigningKeyInfo['state'], readonly [TextName, 'good' | 'warn' | 'bad' | undefined]>

/** The signing keys with their states, and the confirmation before a key is revoked. */
export function keysPages(services: ConsoleServices): Page[] {
  const { signingKeys } = services
  return [
    operatorPage({
      path: PATH,
      async show(call) {
        const { texts } = call
        const keys = await signingKeys.list()
        const isHosts = keys.every(({ createdAt }) => createdAt === undefined)
        const algorithms = [...new Set(keys.map(({ alg }) => alg))].toSorted()
        const panels = algorithms.map((alg) => {
          const own = keys.filter((key) => key.alg === alg)
          return panel({ title: texts.html('operatorKeysOf', { alg }) }, keyTable(call, own))
        })
        const { title, what, button } = ROTATE
        const link = confirmLink(call, { action: 'rotate' }, texts.html(button))
        return operatorView(
          { title: texts.plain('operatorKeysTitle') },
          html`<p class="muted">${texts.html('operatorKeysIntro')}</p>
            <p>${isHosts ? texts.html('operatorKeysHost') : nextRotation(call, keys)}</p>
            ${panels}
            ${
              !isHosts &&
              panel(
                { title: texts.html('operatorActions') },
                html`<ul class="items">
                  ${actionRow(texts.html(title), texts.html(what), link)}
                </ul>`,
              )
            }`,
        )
      },
      actions: {
        rotate: {
          confirm: () => ROTATE,
          async run(call) {
            await signingKeys.rotate(call.change)
            return { redirect: PATH, done: 'doneOperatorRotated' }
          },
        },
      },
    }),
    operatorPage<SigningKeyInfo>({
      path: `${PATH}/:kid/revoke`,
      freshSignIn: 'operator',
      async find(_caller, { kid }) {
        const key = (await signingKeys.list()).find((each) => each.kid === kid && each.state !== 'revoked')
        if (!key) throw new GatehouseError('ERR_NOT_FOUND', 'there is no signing key with that kid')
        return key
      },
      show: async (call) => confirmation(call),
      actions: {
        async revoke({ resource, change: options }) {
          await signingKeys.revoke(resource.kid, options)
          return { redirect: PATH, done: 'doneOperatorKeyRevoked' }
        },
      },
    }),
  ]
}

function nextRotation({ texts }: Pick<Call, 'texts'>, keys: readonly SigningKeyInfo[]): Html | undefined {
  const ends = keys.flatMap(({ state, until }) => (state === 'current' && until !== undefined ? [until] : []))
  if (ends.length === 0) return undefined
  const next = Math.min(...ends)
  return texts.html('operatorNextRotation', { time: texts.dateTime(next * 1000), ago: texts.relative(next) })
}

function keyTable({ texts, to }: Call, keys: readonly SigningKeyInfo[]): Html {
  const time = (seconds: number | undefined) =>
    seconds === undefined ? '–' : html`<span class="small">${texts.ago(seconds)}</span>`
  return table(
    [
      ...columns({ texts }, ['operatorKey', 'stateLabel', 'sinceLabel', 'operatorKeyUntil']),
      { title: html`<span class="unseen">${texts.html('operatorActions')}</span>` },
    ],
    keys.map(({ kid, state, since, until }) => {
      const [name, tone] = STATES[state]
      return [
        html`<code>${kid}</code>`,
        badge(texts.html(name), tone),
        time(since),
        time(until),
        state !== 'revoked' &&
          state !== 'retired' &&
          html`<a
            class="button slim danger whole"
            href="${to(`${PATH}/${encodeURIComponent(kid)}/revoke`)}"
            aria-label="${texts.plain('operatorKeyRevoke')} ${kid}"
            >${texts.html('operatorKeyRevoke')}</a
          >`,
      ]
    }),
  )
}

function confirmation(call: Call<SigningKeyInfo>) {
  const { texts, to, resource } = call
  const { kid, alg, state } = resource
  const [name, tone] = STATES[state]
  return operatorView(
    { title: texts.plain('operatorKeyRevokeTitle') },
    html`<section class="panel danger">
      ${facts([
        [texts.html('operatorKey'), html`<code>${kid}</code> (${alg})`],
        [texts.html('stateLabel'), badge(texts.html(name), tone)],
      ])}
      <p>${texts.html('operatorKeyRevokeText')}</p>
      ${state === 'current' && html`<p>${texts.html('operatorKeyRevokeCurrent')}</p>`}
      <p class="muted">${texts.html('operatorKeyRevokeNotNeeded')}</p>
      ${form(call, { action: 'revoke' }, buttons(call, 'operatorKeyRevokeButton', to(PATH)))}
    </section>`,
  )
}
