/**
 * Whether a key ends what is written. The keyboard of a phone has no Shift-Enter: there Enter begins a new line, and the
 * button sends.
 */
export function isSendKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === 'Enter' && (ctrlKey || metaKey || (!shiftKey && !matchMedia('(pointer: coarse)').matches))
}

/** Signs of Markdown, by the key that sets them around what is chosen. */
const signs: Partial<Record<string, string>> = { b: '**', i: '_' }

/** Replaces what is chosen in a field, as if it were typed: undo takes it back. */
function type(text: string): void {
  // Nothing else leaves the history of a field as it is.
  document.execCommand('insertText', false, text)
}

/** Ctrl-B and Ctrl-I make what is chosen bold or italic, and undo that. Returns whether the key was one of them. */
export function formatChosen(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): boolean {
  const { key, ctrlKey, metaKey, altKey, shiftKey, currentTarget: field } = event
  const sign = (ctrlKey || metaKey) && !altKey && !shiftKey ? signs[key] : undefined
  if (sign === undefined) return false
  const { selectionStart: from, selectionEnd: to, value } = field
  const chosen = value.slice(from, to)
  const [before, behind] = [value.slice(Math.max(0, from - sign.length), from), value.slice(to, to + sign.length)]
  if (before === sign && behind === sign) {
    field.setSelectionRange(from - sign.length, to + sign.length)
    type(chosen)
    field.setSelectionRange(from - sign.length, to - sign.length)
  } else {
    type(sign + chosen + sign)
    field.setSelectionRange(from + sign.length, to + sign.length)
  }
  return true
}

/** An address that is pasted over words makes them a link. Returns whether it did. */
export function linkChosen(event: ClipboardEvent & { currentTarget: HTMLTextAreaElement }): boolean {
  const { selectionStart, selectionEnd, value } = event.currentTarget
  const chosen = value.slice(selectionStart, selectionEnd)
  const pasted = event.clipboardData?.getData('text/plain').trim() ?? ''
  if (chosen.trim() === '' || /[\n[\]]/.test(chosen) || !/^https?:\/\/[^\s()<>]+$/.test(pasted) || URL.canParse(chosen))
    return false
  type(`[${chosen}](${pasted})`)
  return true
}
