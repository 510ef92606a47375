/** Keyboards of phones have no Shift-Enter: there, Enter begins a new line, and a button sends. */
export function isSendKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === 'Enter' && (ctrlKey || metaKey || (!shiftKey && !matchMedia('(pointer: coarse)').matches))
}

const signs: Partial<Record<string, string>> = { b: '**', i: '_' }

function type(text: string): void {
  // No other method preserves the undo history of the field.
  document.execCommand('insertText', false, text)
}

/** Ctrl-B and Ctrl-I make the selected text bold or italic, or undo that. Returns whether the key was handled. */
export function formatSelection(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): boolean {
  const { key, ctrlKey, metaKey, altKey, shiftKey, currentTarget: field } = event
  const sign = (ctrlKey || metaKey) && !altKey && !shiftKey ? signs[key] : undefined
  if (sign === undefined) return false
  const { selectionStart: from, selectionEnd: to, value } = field
  const chosen = value.slice(from, to)
  const [before, after] = [value.slice(Math.max(0, from - sign.length), from), value.slice(to, to + sign.length)]
  if (before === sign && after === sign) {
    field.setSelectionRange(from - sign.length, to + sign.length)
    type(chosen)
    field.setSelectionRange(from - sign.length, to - sign.length)
  } else {
    type(sign + chosen + sign)
    field.setSelectionRange(from + sign.length, to + sign.length)
  }
  return true
}

/** Makes the selected text a link if a URL is pasted over it. Returns whether it did. */
export function linkSelection(event: ClipboardEvent & { currentTarget: HTMLTextAreaElement }): boolean {
  const { selectionStart, selectionEnd, value } = event.currentTarget
  const chosen = value.slice(selectionStart, selectionEnd)
  const pasted = event.clipboardData?.getData('text/plain').trim() ?? ''
  if (chosen.trim() === '' || /[\n[\]]/.test(chosen) || !/^https?:\/\/[^\s()<>]+$/.test(pasted) || URL.canParse(chosen))
    return false
  type(`[${chosen}](${pasted})`)
  return true
}
