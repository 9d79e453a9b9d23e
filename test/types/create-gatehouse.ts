// Only the compiler checks this file: `npx tsc`. A line below `@ts-expect-error` must not compile.
import type { ProductDefinition, ProductDefinitions } from '../../src/catalog/definition.ts'
import type { Gatehouse } from '../../src/gatehouse/gatehouse.ts'
import type { Account } from '../../src/host/accounts.ts'
import { createGatehouse } from '../../src/gatehouse/create-gatehouse.ts'
import type { GatehouseOptions } from '../../src/options/options.ts'
import type { Store } from '../../src/store/contract.ts'
import { mintToken } from '../../src/testing/mint-token.ts'

declare const store: Store
const common = { issuer: 'https://example.com/auth', audience: 'https://example.com/api', store }
const accounts = { find: (id: string) => ({ id }) }

export async function scopesAndProductsAreInferred(): Promise<void> {
  const gatehouse = createGatehouse({
    ...common,
    kycLevels: ['none', 'basic', 'verified'],
    products: {
      invoices: {
        title: 'Invoices',
        operations: {
          'invoices:read': { route: ['GET /invoices/list', 'GET /invoices/:id'], title: 'Read' },
          'invoices:create': { route: 'POST /invoices/create', title: { en: 'Create' } },
        },
      },
      payments: {
        title: { en: 'Payments', de: 'Zahlungen' },
        operations: {
          'payments:transfer': { route: 'POST /payments', title: 'Move money', kycLevel: 'verified' },
        },
      },
    },
    accounts: {
      find: async (id) => ({ id, kycLevel: 'basic' }),
      current: (ctx) => ctx.headers['x'] === 'y' && { accountId: 'a' },
      signInUrl: (returnTo) => `/login?next=${encodeURIComponent(returnTo.href)}`,
    },
  })
  const exact: Gatehouse<'invoices:read' | 'invoices:create' | 'payments:transfer', 'invoices' | 'payments'> =
    gatehouse
  const plain: Gatehouse = gatehouse
  takesAny(plain, exact)

  gatehouse.gateway.requireScope('invoices:read')
  // @ts-expect-error a misspelt name
  gatehouse.gateway.requireScope('invoices:lst')
  // @ts-expect-error a product is not a scope
  gatehouse.gateway.requireScope('invoices')

  await mintToken(gatehouse, { accountId: 'a', scopes: ['invoices:read', 'payments:transfer'] })
  await mintToken(plain, { accountId: 'a', scopes: ['any'] })
  // @ts-expect-error a misspelt name
  await mintToken(gatehouse, { accountId: 'a', scopes: ['invoices:read', 'invoices:lst'] })

  await gatehouse.apiKeys.create({ accountId: 'a', name: 'A', products: ['invoices', 'payments'] })
  // @ts-expect-error a misspelt name
  await gatehouse.apiKeys.create({ accountId: 'a', name: 'A', products: ['invoicez'] })
  await gatehouse.applications.create({
    accountId: 'a',
    name: 'A',
    redirectUris: ['https://example.net/cb'],
    // @ts-expect-error a misspelt name
    products: ['paymentz'],
  })
}

export function mistakesDoNotCompile(): void {
  const operation = { route: 'GET /a', title: 'A' } as const

  // Required options
  // @ts-expect-error no products
  createGatehouse({ ...common, accounts })
  // @ts-expect-error no accounts
  createGatehouse({ ...common, products: {} })
  createGatehouse({
    ...common,
    accounts,
    products: {
      // @ts-expect-error no title
      a: { operations: { 'a:read': operation } },
    },
  })

  // Methods
  createGatehouse({
    ...common,
    accounts,
    products: {
      a: {
        title: 'A',
        operations: {
          'a:read': {
            title: 'A',
            // @ts-expect-error an unknown method
            route: 'GTE /a',
          },
          'a:list': {
            title: 'A',
            // @ts-expect-error a path without a slash
            route: ['GET /a', 'GET b'],
          },
          'a:head': {
            title: 'A',
            // @ts-expect-error HEAD is answered by GET
            route: 'HEAD /a',
          },
        },
      },
    },
  })

  // KYC levels
  createGatehouse({
    ...common,
    kycLevels: ['none', 'basic'],
    accounts,
    products: {
      a: {
        title: 'A',
        operations: {
          'a:read': {
            route: 'GET /a',
            title: 'A',
            kycLevel: 'basic',
          },
          'a:write': {
            route: 'POST /a',
            title: 'A',
            // @ts-expect-error an unknown level
            kycLevel: 'verified',
          },
        },
      },
    },
  })
  createGatehouse({
    ...common,
    accounts,
    products: {
      a: {
        title: 'A',
        operations: {
          'a:read': {
            route: 'GET /a',
            title: 'A',
            // @ts-expect-error there are no levels
            kycLevel: 'basic',
          },
        },
      },
    },
  })
  createGatehouse({
    ...common,
    kycLevels: ['none', 'basic'],
    products: {},
    accounts: {
      // @ts-expect-error an account at an unknown level
      find: (id) => ({ id, kycLevel: 'verified' }),
    },
  })

  // Unknown properties at every depth
  createGatehouse({
    ...common,
    accounts,
    products: {},
    // @ts-expect-error
    issuerr: 'https://example.com',
  })
  createGatehouse({
    ...common,
    accounts,
    products: {
      a: {
        title: 'A',
        // @ts-expect-error
        descripton: 'A',
        operations: { 'a:read': operation },
      },
    },
  })
  createGatehouse({
    ...common,
    accounts,
    products: {
      a: {
        title: 'A',
        operations: {
          'a:read': {
            route: 'GET /a',
            title: 'A',
            // @ts-expect-error
            titel: 'A',
          },
        },
      },
    },
  })
  createGatehouse({
    ...common,
    products: {},
    accounts: {
      find: (id) => ({ id }),
      // @ts-expect-error
      signinUrl: () => '/login',
    },
  })
  createGatehouse({
    ...common,
    accounts,
    products: {},
    lifetimes: {
      // @ts-expect-error
      accessToken: 60,
    },
    branding: {
      // @ts-expect-error
      colour: '#000000',
    },
    texts: {
      de: {
        // @ts-expect-error
        signInTitel: 'Anmelden',
      },
    },
  })
}

export function productsInAFileOfTheirOwnKeepTheirTypes(): void {
  const products = {
    a: { title: 'A', operations: { 'a:read': { route: 'GET /a', title: 'A', kycLevel: 'basic' } } },
  } as const satisfies ProductDefinitions
  const gatehouse = createGatehouse({ ...common, kycLevels: ['none', 'basic'], accounts, products })
  gatehouse.gateway.requireScope('a:read')
  // @ts-expect-error a misspelt name
  gatehouse.gateway.requireScope('a:raed')
  // @ts-expect-error its level is not in kycLevels
  createGatehouse({ ...common, kycLevels: ['none', 'verified'], accounts, products })
}

export function productsFromADatabaseGiveString(): void {
  const load = (): Promise<Record<string, ProductDefinition>> => Promise.reject(new Error('a database'))
  const loadAnything = (): Promise<unknown> => Promise.reject(new Error('a database'))
  const kycLevels = ['none', 'basic'] as const

  const loaded: Gatehouse = createGatehouse({
    ...common,
    kycLevels,
    accounts,
    products: load,
  })
  loaded.gateway.requireScope('any:scope')
  takesAny(createGatehouse({ ...common, accounts, products: async () => load() }))
  // A function may return different products at each load, so no scopes are inferred from its literals.
  const written = createGatehouse({
    ...common,
    accounts,
    products: () => ({ a: { title: 'A', operations: { 'a:read': { route: 'GET /a', title: 'A' } } } }),
  })
  written.gateway.requireScope('any:scope')
  // @ts-expect-error the function does not return products
  createGatehouse({ ...common, accounts, products: loadAnything })

  const record: Record<string, ProductDefinition> = {}
  const fromRecord = createGatehouse({ ...common, kycLevels, accounts, products: record })
  fromRecord.gateway.requireScope('any:scope')
}

export function levelsFromADatabaseAreCheckedAtRunTime(levels: string[], account: Account): void {
  createGatehouse({
    ...common,
    kycLevels: levels,
    accounts: { find: () => account },
    products: {
      a: { title: 'A', operations: { 'a:read': { route: 'GET /a', title: 'A', kycLevel: 'any' } } },
    },
  })
}

export function optionsMayBeBuiltInAnotherFunction(options: GatehouseOptions): Gatehouse {
  return createGatehouse(options)
}

function takesAny(...gatehouses: Gatehouse[]): void {
  for (const gatehouse of gatehouses) gatehouse.gateway.requireScope('any:scope')
}
