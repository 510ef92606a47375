/** Markup that is safe to send. Only {@link html} makes it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values allowed in a template: text is escaped, and nothing is dropped. */
type Value = Html | string | number | false | undefined | readonly Value[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Builds markup. Every value is escaped for text and quoted attributes. Attributes must be quoted, and must not contain
 * scripts.
 */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: strings.raw }, ...values.map(rendered)))
}

function rendered(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(rendered).join('')
  return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
