import { memoryStore } from 'koa-gatehouse/adapters/memory'
import Koa from 'koa'
import type { Context, Middleware } from 'koa'
import { createCatalog } from '../../../src/catalog/create-catalog.ts'
import type { ProductDefinitions } from '../../../src/catalog/definition.ts'
import type { Accounts } from '../../../src/host/accounts.ts'
import { createHostAccounts } from '../../../src/host/host-accounts.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { createConsentPreview } from '../../../src/authorization-server/interaction/consent-preview.ts'
import { createPages } from '../../../src/authorization-server/interaction/pages.ts'
import type { PendingInteraction } from '../../../src/authorization-server/interaction/port.ts'
import { interactionRoutes } from '../../../src/authorization-server/interaction/routes.ts'
import { createTexts, type Texts } from '../../../src/authorization-server/interaction/texts.ts'
import { kycLevels, products as common } from '../../fixtures/products.ts'
import { fakePort } from './fake-port.ts'

export const issuer = 'http://localhost:3000/auth'

const { invoices, payments } = common

/** The products of `test/fixtures`, with additional German titles and with descriptions. */
const products: ProductDefinitions = {
  invoices: {
    ...invoices,
    title: { en: 'Invoices', de: 'Rechnungen' },
    description: 'What you bill your customers',
    operations: {
      ...invoices.operations,
      'invoices:read': {
        ...invoices.operations['invoices:read'],
        title: { en: 'Read your invoices', de: 'Ihre Rechnungen lesen' },
        description: 'Amounts, dates and the names of customers',
      },
    },
  },
  payments,
}

/** A host that serves the pages of one interaction. */
export function hostApp(options: {
  pending?: PendingInteraction | undefined
  accounts?: Partial<Accounts>
  texts?: { readonly [locale: string]: Partial<Texts> }
  defaultLocale?: string
  branding?: { name?: string; logo?: string; accentColor?: string }
  connectedApplicationsUri?: string
  issuer?: string
  products?: ProductDefinitions
  above?: Middleware[]
}) {
  const fake = fakePort(options.pending, options.issuer ?? issuer)
  const pages = createPages({
    texts: createTexts({ texts: options.texts ?? {}, defaultLocale: options.defaultLocale ?? 'en' }),
    branding: { name: 'Example Bank', accentColor: '#1a56db', ...options.branding },
    connectedApplicationsUri: options.connectedApplicationsUri,
  })
  const accounts = createHostAccounts(
    { find: (id) => ({ id }), ...options.accounts },
    { kycLevels, logger: silentLogger, isOperation: () => true },
  )
  const catalog = { current: createCatalog(options.products ?? products, { kycLevels }) }
  const routes = interactionRoutes({
    port: fake.port,
    accounts,
    catalog,
    pages,
    issuer: options.issuer ?? issuer,
    csrfKeys: [new Uint8Array(32).fill(7)],
    maxSignInAttempts: 10,
    store: memoryStore(),
  })
  const app = new Koa()
  const errors: unknown[] = []
  app.on('error', (error) => errors.push(error))
  for (const middleware of options.above ?? []) app.use(middleware)
  app.use(async function interaction(ctx: Context, next) {
    const isBelow = ctx.path.startsWith('/auth/')
    const page = isBelow ? routes(ctx, ctx.path.slice('/auth'.length)) : undefined
    await (page ?? next())
  })
  const previewConsent = createConsentPreview({
    pages,
    catalog,
    accounts,
    openIdScopes: ['openid', 'profile', 'email'],
    accessLifetime: 2_592_000,
  })
  return { app, pages, previewConsent, fake, errors, callback: app.callback() }
}

/** The CSRF token in the first form of a page. */
export function csrfIn(markup: string): string {
  return /name="csrf" value="([^"]+)"/.exec(markup)?.[1] ?? ''
}

/** The address to which a page sends the browser automatically. */
export function nextIn(markup: string): string | undefined {
  return /http-equiv="refresh" content="0;url=([^"]+)"/.exec(markup)?.[1]
}
