import type { PublicKeyInput } from '../../../clients/jwk-set.ts'
import type { LoadPublicKeys } from '../../../clients/public-keys.ts'
import { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { parseJson } from '../../../validation/parse-json.ts'
import { isObject } from '../../../validation/predicates.ts'
import { field } from '../elements/form.ts'
import type { FormState } from '../page-types.ts'

const KEY = 'key'

const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'alg', 'use', 'kid', 'key_ops']

const PUBLIC_PEM = /-----BEGIN ((?:RSA )?PUBLIC KEY|CERTIFICATE)-----[^-]+-----END \1-----/

/** The public key that a form sends: a JWK, or a text in PEM format. Undefined if the field is empty. */
export function readKey(form: Form): PublicKeyInput | undefined {
  const text = (form.get(KEY) ?? '').trim()
  const jwk = parseJson(text)
  if (isObject(jwk)) return jwk
  return text === '' ? undefined : text
}

/** The field for a public key. A rejected form shows only this key again: what is beside it may be a private key. */
export async function keyField(
  call: FormState,
  { loadPublicKeys }: { readonly loadPublicKeys: LoadPublicKeys | undefined },
  isRequired: boolean,
): Promise<Html> {
  const { texts } = call
  const sent = readKey(call.form)
  const publicKeys = await loadPublicKeys?.()
  const read = publicKeys?.readPublicKey(sent, 0)
  const fault = read && 'message' in read ? read : undefined
  const form = new Form(call.form)
  const shown = read && !fault ? publicPartOf(sent) : undefined
  if (shown === undefined) form.delete(KEY)
  else form.set(KEY, shown)
  // The form may be shown again before a service has checked the key. The person must know why the field is empty.
  const problems = sent && fault ? [{ path: KEY, ...fault }] : call.problems
  return field(
    { texts, form, problems },
    {
      name: KEY,
      type: 'lines',
      label: texts.html('keysLabel'),
      hint: texts.html('keysFieldHint', {
        header: html`<code class="whole" dir="ltr">-----BEGIN PUBLIC KEY-----</code>`,
      }),
      isRequired,
      isCode: true,
      autocomplete: 'off',
    },
  )
}

function publicPartOf(sent: PublicKeyInput | undefined): string | undefined {
  return typeof sent === 'string' ? PUBLIC_PEM.exec(sent)?.[0] : JSON.stringify(sent, PUBLIC_MEMBERS)
}
