import type { PublicKeyInput } from '../../../clients/client-inputs.ts'
import type { LoadPublicKeys } from '../../../clients/public-keys.ts'
import { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { isObject } from '../../../validation/predicates.ts'
import { field } from '../elements/form.ts'
import type { Call } from '../page-types.ts'

/** The name of the field for a public key. */
const KEY = 'key'

/** The public key that a form sends: a JWK, or a text in PEM format. Undefined if the field is empty. */
export function readKey(form: Form): PublicKeyInput | undefined {
  const text = (form.get(KEY) ?? '').trim()
  return text === '' ? undefined : (parseJwk(text) ?? text)
}

function parseJwk(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The field for a public key. If the form was rejected, the field shows the text again only if it is a public key: any
 * other text may contain a private key.
 */
export async function keyField(
  call: Pick<Call, 'form' | 'problems' | 'texts'>,
  { loadPublicKeys }: { readonly loadPublicKeys: LoadPublicKeys | undefined },
  isRequired: boolean,
): Promise<Html> {
  const { texts } = call
  const sent = readKey(call.form)
  const publicKeys = await loadPublicKeys?.()
  const read = publicKeys?.readPublicKey(sent, 0)
  const fault = read && 'message' in read ? read : undefined
  const form = new Form(call.form)
  if (!read || fault) form.delete(KEY)
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
