/** The error of every call while Redis is unreachable or rejects the command. */
export const unavailable = { name: 'GatehouseError', code: 'ERR_STORE_UNAVAILABLE', status: 503 }
