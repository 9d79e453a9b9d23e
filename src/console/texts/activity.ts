import type { PageText } from '../../http/pages/texts.ts'

/** The texts of the audit trail. */
export const english = {
  activityTitle: 'Activity',
}

/** The same texts in German. */
export const german: Readonly<Record<keyof typeof english, PageText>> = {
  activityTitle: 'Aktivität',
}
