import type { Html } from '../../http/html.ts'
import { facts } from '../elements/elements.ts'
import type { Call } from '../page.ts'
import type { GuideValues } from './guide-values.ts'

/** What each error means, and what the program does then. */
export function answers({ texts }: Pick<Call, 'texts'>, { kind }: GuideValues): Html {
  const isKey = kind === 'apiKey'
  return facts([
    [texts.html('guideAnswerApi401'), texts.html(isKey ? 'guideAnswerKey401' : 'guideAnswerApp401')],
    [texts.html('guideAnswerApi403'), texts.html(isKey ? 'guideAnswerKey403' : 'guideAnswerApp403')],
    [texts.html('guideAnswerClient401'), texts.html('guideAnswerClient401Hint')],
    [texts.html('guideAnswerGrant'), !isKey && texts.html('guideAnswerGrantHint')],
    [texts.html('guideAnswer503'), texts.html('guideAnswer503Hint')],
  ])
}
