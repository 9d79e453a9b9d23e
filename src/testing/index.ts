export { mintToken, type MintedToken, type MintOptions } from './mint-token.ts'
export { createTestIssuer, type TestIssuer } from './test-issuer.ts'
export { findApiDrift, type ApiDrift, type ApiDriftOptions } from '../openapi/api-drift.ts'
export { storeContract, type StoreContractCase, type StoreContractOptions } from './store-contract.ts'
