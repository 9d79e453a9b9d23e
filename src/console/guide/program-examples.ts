import { html, type Html } from '../../http/html.ts'
import { copyable } from '../elements/elements.ts'
import type { Call } from '../page.ts'
import type { TextName } from '../texts.ts'
import { GO_INSTALL, goForApplication, goForKey } from './go-examples.ts'
import type { GuideValues } from './guide-values.ts'
import { NODE_INSTALL, nodeForApplication, nodeForKey } from './node-examples.ts'
import { PYTHON_INSTALL, pythonForApplication, pythonForKey } from './python-examples.ts'

/** The example in one language. Its elements have ids that begin with `id`. */
interface Language {
  readonly id: 'node' | 'python' | 'go'
  readonly title: TextName
  readonly install: string
  forKey(values: GuideValues): string
  forApplication(values: GuideValues, redirectUri: string): string
}

const LANGUAGES: readonly Language[] = [
  {
    id: 'node',
    title: 'guideNode',
    install: NODE_INSTALL,
    forKey: nodeForKey,
    forApplication: nodeForApplication,
  },
  {
    id: 'python',
    title: 'guidePython',
    install: PYTHON_INSTALL,
    forKey: pythonForKey,
    forApplication: pythonForApplication,
  },
  { id: 'go', title: 'guideGo', install: GO_INSTALL, forKey: goForKey, forApplication: goForApplication },
]

/** The examples in programming languages. The first is open. */
export function programExamples(call: Pick<Call, 'texts'>, values: GuideValues): Html {
  const { texts } = call
  const { redirectUri } = values
  return html`<div class="listing">
    ${LANGUAGES.map(
      ({ id, title, install, forKey, forApplication }, at) =>
        html`<details ${at === 0 && 'open'}>
          <summary>${texts.html(title)}</summary>
          <div class="stack">
            <div class="tight">
              <h3>${texts.html('guideInstall')}</h3>
              ${copyable(call, `${id}-install`, install)}
            </div>
            <div class="tight">
              <h3>${texts.html('guideExample')}</h3>
              ${copyable(call, `${id}-example`, redirectUri === undefined ? forKey(values) : forApplication(values, redirectUri))}
            </div>
          </div>
        </details>`,
    )}
  </div>`
}
