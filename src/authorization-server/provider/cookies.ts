/** The names of our cookies. */
export const COOKIES = {
  session: 'gatehouse_session',
  interaction: 'gatehouse_interaction',
  resume: 'gatehouse_resume',
  /** Set after a browser has returned from our pages. */
  returned: 'gatehouse_returned',
} as const

/** The attributes of a cookie for one page. */
export const SHORT_COOKIE = { httpOnly: true, sameSite: 'lax', signed: true } as const
