import { randomBytes } from 'node:crypto'
import type { Caller } from '../front-door/access.ts'
import { Form } from '../../http/form-body.ts'
import { createEncryption } from '../../keys/encryption.ts'
import { createCollection } from '../../store/collection.ts'
import { digest } from '../../store/digest.ts'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import type { Store } from '../../store/contract.ts'
import { textRule } from '../../validation/rules.ts'

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

/** A form that waits for a fresh sign-in. */
export interface KeptForm {
  readonly form: Form
  /** What the host must confirm. */
  readonly permission: ConfirmedPermission
}

interface Sealed {
  readonly id: string
  readonly fields: string
  readonly permission: ConfirmedPermission
  readonly browser: string | null
  readonly address: string
}

/**
 * Keeps submitted forms in the store, encrypted, while their senders sign in again at the host. The store keeps only
 * one form for each person, so that a person cannot fill the store. A new form replaces an older one.
 *
 * @param secrets the host's secrets, newest first
 */
export function createKeptForms(store: Store, secrets: readonly string[]) {
  const encryption = createEncryption<Sealed>(secrets, 'forms')
  const records = createCollection<{ sealed: string }>(store, {
    name: 'form',
    version: 1,
    fields: { sealed: textRule },
  })
  const keyOf = ({ caller: { accountId, userId } }: FormSender) => digest(JSON.stringify([accountId, userId]))

  return {
    /** The id for a form that may be kept. */
    newId: () => randomBytes(16).toString('base64url'),

    /** Keeps a form for 15 minutes. @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` */
    async keep(id: string, { form, permission }: KeptForm, sender: FormSender): Promise<void> {
      const { browser = null, address } = sender
      const sealed = await encryption.seal({ id, fields: form.toString(), permission, browser, address })
      await records.set(keyOf(sender), { sealed }, KEPT_SECONDS)
    },

    /**
     * Returns a form once. Undefined if it was returned or replaced before, if it is older than 15 minutes, or if another
     * person, another browser or another page asks for it.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`, `ERR_STORE_CORRUPT`
     */
    async take(id: string, sender: FormSender): Promise<KeptForm | undefined> {
      const key = keyOf(sender)
      const record = await records.get(key)
      const kept = record && (await encryption.unseal(record.sealed))?.value
      const { browser = null, address } = sender
      if (kept?.id !== id || kept.browser !== browser || kept.address !== address) return undefined
      // If two requests come at the same time, only one of them deletes the record, and gets the form.
      const isFirst = await records.delete(key)
      return isFirst ? { form: new Form(kept.fields), permission: kept.permission } : undefined
    },
  }
}

/** Keeps submitted forms while their senders sign in again. */
export type KeptForms = ReturnType<typeof createKeptForms>
