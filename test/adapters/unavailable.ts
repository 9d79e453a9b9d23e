/** What every call rejects with while Redis cannot be reached or does not do it. */
export const unavailable = { name: 'GatehouseError', code: 'ERR_STORE_UNAVAILABLE', status: 503 }
