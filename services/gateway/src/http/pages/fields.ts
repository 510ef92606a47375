import { html, type Html } from './html.ts'

type Field = {
  label: string
  name: string
  hint?: string
  value?: string | undefined
  type?: string
  autocomplete: string
}

/** A labelled field that must be filled in. */
export function field({ label, name, hint, value, type = 'text', autocomplete }: Field): Html {
  const plain = type === 'text' && html`autocapitalize="none" spellcheck="false"`
  return html`<label>
    <span>${label}</span>
    <input type="${type}" name="${name}" value="${value ?? ''}" autocomplete="${autocomplete}" ${plain} required />
    ${hint !== undefined && html`<small>${hint}</small>`}
  </label>`
}

export const emailField = (value?: string): Html =>
  field({ label: 'E-mail address', name: 'email', type: 'email', autocomplete: 'email', value })

/** A new password, twice. */
export const newPasswordFields: Html = html`${field({
  ...{ label: 'New password', name: 'password', type: 'password', autocomplete: 'new-password' },
  hint: '8 to 128 characters',
})}${field({ label: 'Once more', name: 'password_confirmation', type: 'password', autocomplete: 'new-password' })}`

export const hidden = (name: string, value: string | undefined): Html =>
  html`<input type="hidden" name="${name}" value="${value ?? ''}" />`

export const alert = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="alert" role="alert">${text}</p>`
