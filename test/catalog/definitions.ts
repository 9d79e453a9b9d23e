import type { ProductDefinitions } from '../../src/catalog/definition.ts'
import { kycLevels, products as common } from '../fixtures/products.ts'

const { invoices, payments } = common

/**
 * The products of most catalog tests, with a title in two languages, a description, and an operation that two
 * products share.
 */
export const products: ProductDefinitions = {
  invoices,
  payments: {
    title: { en: 'Payments', de: 'Zahlungen' },
    operations: {
      'payments:list': { ...payments.operations['payments:list'], kycLevel: 'basic' },
      'payments:transfer': { ...payments.operations['payments:transfer'], description: 'To any account.' },
      'invoices:create': invoices.operations['invoices:create'],
    },
  },
}

export { kycLevels }
