/** Elements that take characters themselves, or stand before the page. */
const takers = 'input, textarea, select, audio, video, dialog, [role="listbox"]'

/**
 * Whether a key pressed anywhere on the page is meant for the field of a composer: a character or a paste that nothing
 * else takes. If the field gets the focus now, the browser writes the character into it.
 */
export function isMeantFor(field: HTMLElement, event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented, target } = event
  if (defaultPrevented || isComposing || altKey || !(target instanceof Element)) return false
  const pastes = (ctrlKey || metaKey) && key === 'v'
  // A space presses a button, or scrolls.
  const writes = !ctrlKey && !metaKey && [...key].length === 1 && key !== ' '
  if ((!pastes && !writes) || target.closest(takers) !== null || document.querySelector('dialog[open]')) return false
  // Each pane has a field of its own.
  return target.closest('aside') === field.closest('aside')
}
