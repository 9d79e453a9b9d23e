import { readKeys } from '../../../clients/client-keys.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'
import type { ClientKind } from './client-kind.ts'
import { keyField, readKey } from './public-key-field.ts'

type Parts = Pick<ConsoleServices, 'settings' | 'loadPublicKeys'>

const KIND = { name: 'kind', isPublic: 'public' }

export function readCredentials(form: Form) {
  return { isPublic: form.get(KIND.name) === KIND.isPublic, key: readKey(form) }
}

/** @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if the key cannot be used, or not for a public application */
export async function checkCredentials(
  parts: Parts,
  { isPublic, key }: ReturnType<typeof readCredentials>,
): Promise<void> {
  if (key === undefined) return
  if (isPublic) {
    const message = 'must be empty for a public application'
    throw new GatehouseError('ERR_INVALID_ARGUMENT', `key ${message}`, {
      problems: [{ path: 'key', code: 'public-application', message }],
    })
  }
  await readKeys(parts, [key], () => 'key')
}

/** The fields that choose what a new client authenticates with. Undefined if each client gets a secret. */
export async function credentialsChoice(
  call: Pick<Call, 'texts' | 'form' | 'problems'>,
  { kind }: Pick<ClientKind, 'kind'>,
  parts: Parts,
): Promise<Html | undefined> {
  const { texts, form } = call
  const { publicApplications, privateKeyJwt } = parts.settings
  const key = privateKeyJwt && (await keyInstead(call, parts))
  if (kind === 'apiKey' || !publicApplications) return key || undefined
  const { isPublic } = readCredentials(form)
  const choice = (value: string, title: TextName, hint: TextName) =>
    html`<label class="choice"
      ><input
        type="radio"
        name="${KIND.name}"
        value="${value}"
        ${isPublic === (value === KIND.isPublic) && 'checked'}
      /><span class="tight"
        ><strong>${texts.html(title)}</strong><span class="hint">${texts.html(hint)}</span></span
      ></label
    >`
  return html`<fieldset>
    <legend>${texts.html('clientsKind')}</legend>
    <ul class="choices">
      <li>${choice('server', 'clientsKindServer', 'clientsKindServerHint')} ${key}</li>
      <li>${choice(KIND.isPublic, 'clientsKindPublic', 'clientsKindPublicHint')}</li>
    </ul>
  </fieldset>`
}

async function keyInstead(call: Pick<Call, 'texts' | 'form' | 'problems'>, parts: Parts): Promise<Html> {
  const isOpen = (call.form.get('key') ?? '').trim() !== ''
  return html`<details ${isOpen && 'open'}>
    <summary>${call.texts.html('keysInstead')}</summary>
    ${await keyField(call, parts, false)}
  </details>`
}
