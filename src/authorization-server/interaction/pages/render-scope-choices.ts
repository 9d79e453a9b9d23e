import type { ScopeStatus } from '../../../grants/consent-needed.ts'
import { html, type Html } from '../../../http/html.ts'
import {
  formatGroupChoice,
  GROUP_CHOICES,
  type GroupChoice,
  type ScopeEntry,
  type ScopeGroup,
} from '../scope-choices.ts'
import type { Texts } from '../texts.ts'
import type { Frame } from './layout.ts'

interface Surroundings {
  readonly id: string
  readonly application: string
  readonly isInvalid: boolean
  readonly pressed?: GroupChoice | undefined
}

/** A group of scopes on the consent page, with a checkbox for each scope that the person may leave out. */
export function scopeFieldset(frame: Frame, group: ScopeGroup, around: Surroundings): Html {
  return html`<fieldset ${around.isInvalid && html`aria-describedby="problem"`}>
    <legend>
      <h2>${group.title}</h2>
      ${group.description && html`<p class="muted small">${group.description}</p>`}
    </legend>
    ${choiceButtons(frame, group, around.pressed)}
    <ul class="rows">
      ${group.entries.map((entry, index) => html`<li>${row(frame, entry, around, `${around.id}-${index}`)}</li>`)}
    </ul>
  </fieldset>`
}

const CHOICE_TEXTS = { all: 'consentSelectAll', none: 'consentSelectNone' } as const

function choiceButtons(
  { texts }: Frame,
  { key, title, entries }: ScopeGroup,
  pressed: GroupChoice | undefined,
): Html | undefined {
  if (entries.filter(({ isMandatory }) => !isMandatory).length < 2) return undefined
  const buttons = GROUP_CHOICES.map((choice) => {
    const isPressed = pressed?.group === key && pressed.choice === choice
    const value = formatGroupChoice({ choice, group: key })
    return html`<button class="plain" name="select" value="${value}" ${isPressed && 'autofocus'}>
      ${texts.html(CHOICE_TEXTS[choice])}<span class="unseen">: ${title}</span>
    </button>`
  })
  return html`<div class="choose">${buttons}</div>`
}

const NOTES = {
  new: undefined,
  granted: 'consentGrantedBefore',
  denied: 'consentDeniedBefore',
} as const satisfies Record<ScopeStatus, keyof Texts | undefined>

function row({ texts }: Frame, entry: ScopeEntry, { application }: Surroundings, id: string): Html {
  const noteText = entry.isMandatory ? 'consentAlwaysIncluded' : NOTES[entry.status]
  const description =
    entry.description && html`<span class="muted small" id="${id}-about">${entry.description}</span>`
  const mark = entry.isSensitive && sensitiveMark(texts, application, `${id}-sensitive`)
  const note = noteText && html`<span class="note" id="${id}-note">${texts.html(noteText)}</span>`
  const notes = (mark || note) && html`<span class="notes">${mark}${note}</span>`
  const what = html`<span class="what"><span id="${id}-title">${entry.title}</span>${description}</span>`
  if (entry.isMandatory) {
    return html`<div class="row fixed"><span class="tick" aria-hidden="true">✓</span>${what}${notes}</div>`
  }
  const describedBy = [mark && `${id}-sensitive`, description && `${id}-about`, note && `${id}-note`]
    .filter(Boolean)
    .join(' ')
  return html`<label class="row"
    ><input
      type="checkbox"
      name="scope"
      value="${entry.scope}"
      aria-labelledby="${id}-title"
      ${describedBy !== '' && html`aria-describedby="${describedBy}"`}
      ${entry.isTicked && 'checked'}
    />${what}${notes}</label
  >`
}

function sensitiveMark(texts: Frame['texts'], application: string, id: string): Html {
  return html`<span class="note sensitive" id="${id}"
    ><span aria-hidden="true">! </span>${texts.html('consentSensitive')}<span class="unseen"
      >. ${texts.html('consentSensitiveHint', { application })}</span
    ></span
  >`
}
