// Remedies that more than one check uses.

export const ANOTHER_SECRET =
  'Start the process with the `secret` that was used before. If that secret was replaced, add it as a later entry: [new, old]'

export const CORRECT_PRODUCTS =
  'Correct the products, or the function that loads them; `problems` of the error lists all mistakes'

/** The remedy if the authorization service rejects the key of a gateway, or the store its user. */
export const CORRECT_CREDENTIALS =
  'Correct the API key that the message names, or the user of the store. The process continues without a restart, ' +
  'unless it needs another key or secret'

export const SEE_START = 'See the check `start`'
