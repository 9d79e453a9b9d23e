import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../front-door/access.ts'
import { Form } from '../http/form-body.ts'
import { createEncryption } from '../keys/encryption.ts'
import { createCollection } from '../store/collection.ts'
import { digest } from '../store/digest.ts'
import type { Store } from '../store/contract.ts'
import { textRule } from '../validation/rules.ts'

/** Seconds for which a form is kept while its sender signs in again. */
const KEPT_SECONDS = 900

/** Who sent a form, and on which page. */
export interface FormSender {
  readonly caller: Pick<Caller, 'accountId' | 'userId'>
  /** The random id of the browser. */
  readonly browser: string | undefined
  /** The address of the page. */
  readonly address: string
}

const ID = /^[\w-]{22}$/

/**
 * Keeps submitted forms in the store, encrypted, while their senders sign in again at the host.
 *
 * @param secrets the host's secrets, newest first
 */
export function createKeptForms(store: Store, secrets: readonly string[]) {
  const encryption = createEncryption<{ fields: string; sender: readonly (string | null)[] }>(
    secrets,
    'forms',
  )
  const records = createCollection<{ sealed: string }>(store, {
    name: 'form',
    version: 1,
    fields: { sealed: textRule },
  })
  const senderOf = ({ caller, browser, address }: FormSender) =>
    [caller.accountId, caller.userId ?? null, browser ?? null, address] as const

  return {
    /** The id for a form that may be kept. */
    newId: () => randomBytes(16).toString('base64url'),

    /** Keeps a form for 15 minutes. @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` */
    async keep(id: string, form: Form, sender: FormSender): Promise<void> {
      const sealed = await encryption.seal({ fields: form.toString(), sender: senderOf(sender) })
      await records.set(digest(id), { sealed }, KEPT_SECONDS)
    },

    /**
     * Returns a form once. Undefined if it was returned before, if it is older than 15 minutes, or if another person,
     * another browser or another page asks for it.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`, `ERR_STORE_CORRUPT`
     */
    async take(id: string, sender: FormSender): Promise<Form | undefined> {
      const record = ID.test(id) ? await records.get(digest(id)) : undefined
      const kept = record && (await encryption.unseal(record.sealed))?.value
      if (!kept || !isDeepStrictEqual(kept.sender, senderOf(sender))) return undefined
      // Of two requests at the same time, one deletes the record.
      return (await records.delete(digest(id))) ? new Form(kept.fields) : undefined
    },
  }
}

/** Keeps submitted forms while their senders sign in again. */
export type KeptForms = ReturnType<typeof createKeptForms>
