/** Elements that take characters themselves, or stand before the page. */
const takers = 'input, textarea, select, audio, video, dialog, [role="listbox"]'

/** Shows the shortcuts, where no text is written. */
export const shortcutsKey = '?'

/** Whether an element takes characters itself, or a dialog stands before the page. */
export const takesKeys = (target: EventTarget | null): boolean =>
  !(target instanceof Element) || target.closest(takers) !== null || document.querySelector('dialog[open]') !== null

/**
 * Whether a key pressed anywhere on the page is meant for the field of a composer: a character or a paste that nothing
 * else takes. If the field gets the focus now, the browser writes the character into it.
 */
export function isMeantFor(field: HTMLElement, event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented, target } = event
  if (defaultPrevented || isComposing || altKey || !(target instanceof Element) || takesKeys(target)) return false
  const pastes = (ctrlKey || metaKey) && key === 'v'
  // A space presses a button, or scrolls.
  const writes = !ctrlKey && !metaKey && [...key].length === 1 && key !== ' ' && key !== shortcutsKey
  if (!pastes && !writes) return false
  // Each pane has a field of its own.
  return target.closest('aside') === field.closest('aside')
}
