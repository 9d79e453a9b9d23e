// What to do, where more than one check says so.

/** Where the secret does not open the keys. */
export const ANOTHER_SECRET =
  'Start it with the `secret` that was used before, as a later entry of the list if it has been replaced: [new, old]'

/** Where the products could not be loaded. */
export const CORRECT_PRODUCTS =
  'Correct the products, or the function that loads them; the log has all of what is wrong'

/** Where something is not there yet. */
export const SEE_START = 'See the check `start`'
