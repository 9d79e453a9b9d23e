const DAY_SECONDS = 86_400

/** Days before the expiry. 0 is the expiry itself. */
const NOTICE_DAYS = [0, 1, 7, 30] as const

export type NoticeDays = (typeof NOTICE_DAYS)[number]

/** If several notices were missed, only the last of them is due. @param now milliseconds */
export function dueNotice(expiresAt: number, now: number): NoticeDays | undefined {
  return NOTICE_DAYS.find((days) => noticeTime(expiresAt, days) <= now)
}

/** In milliseconds; undefined after the last notice. */
export function nextNoticeTime(expiresAt: number, now: number): number | undefined {
  return NOTICE_DAYS.map((days) => noticeTime(expiresAt, days)).findLast((time) => time > now)
}

function noticeTime(expiresAt: number, days: NoticeDays): number {
  return (expiresAt - days * DAY_SECONDS) * 1000
}
