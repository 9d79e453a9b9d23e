import { expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import type { Client } from '../../src/clients/client.ts'
import { NO_TOKEN_REASONS, whyNoToken, type NoTokenReason } from '../../src/clients/why-no-token.ts'
import type { Account } from '../../src/host/accounts.ts'

const operation = { title: 'Read', route: 'GET /ledger', kycLevel: 'high' }
const products = { ledger: { title: 'Ledger', operations: { 'ledger:read': operation } } }
const catalog = createCatalog(products, { kycLevels: ['low', 'high'] })
const common = {
  clientId: 'id',
  accountId: 'a',
  name: 'N',
  products: [],
  removedOperations: ['ledger:read'],
  disabled: true,
  disabledBy: 'operator',
  epoch: 0,
  createdAt: 0,
  expiresAt: 1,
  noSecret: 'compromised',
} as const
const key: Client = { ...common, kind: 'apiKey', userId: 'u', resourceServer: true }
const application: Client = {
  ...common,
  kind: 'application',
  redirectUris: [],
  postLogoutRedirectUris: [],
  firstParty: false,
}

type Repair = { readonly client?: object; readonly owner?: Account }

const repairs: Readonly<Record<NoTokenReason, Repair>> = {
  'disabled-by-operator': { client: { disabledBy: undefined } },
  disabled: { client: { disabled: false } },
  expired: { client: { expiresAt: undefined } },
  compromised: { client: { noSecret: 'no-secret' } },
  'no-secret': { client: { noSecret: undefined } },
  gateway: { client: { resourceServer: false } },
  'no-product': { client: { products: ['ledger'] } },
  'no-operation': { client: { removedOperations: [] } },
  'owner-gone': { owner: { id: 'a', kycLevel: 'low', operations: [] } },
  'user-operations': { owner: { id: 'a' } },
  'kyc-level': { owner: { id: 'a', kycLevel: 'high' } },
  'no-redirect-uri': { client: { redirectUris: ['https://a.example/'] } },
}

/** The reasons of a client with all of them, each found after those before were removed. */
function reasonsOf(broken: Client): NoTokenReason[] {
  const reasons: NoTokenReason[] = []
  let client = broken
  let owner: Account | undefined
  for (;;) {
    const reason = whyNoToken(catalog, client, owner)
    if (reason === undefined || reasons.includes(reason)) return reasons
    reasons.push(reason)
    client = { ...client, ...repairs[reason].client }
    owner = repairs[reason].owner ?? owner
  }
}

it('of several reasons why a client gets no token, the first of the list counts', () => {
  const ofKey: readonly NoTokenReason[] = ['gateway', 'user-operations']
  const ofApplication: readonly NoTokenReason[] = ['kyc-level', 'no-redirect-uri']
  expect(reasonsOf(key)).toEqual(NO_TOKEN_REASONS.filter((each) => !ofApplication.includes(each)))
  expect(reasonsOf(application)).toEqual(NO_TOKEN_REASONS.filter((each) => !ofKey.includes(each)))
})
