/** Elements that handle typed characters themselves, and dialogs. */
const keyHandlers = 'input, textarea, select, audio, video, dialog, [role="listbox"]'

export const shortcutsKey = '?'

export const takesKeys = (target: EventTarget | null): boolean =>
  !(target instanceof Element) ||
  target.closest(keyHandlers) !== null ||
  document.querySelector('dialog[open]') !== null

/**
 * Whether a key types a character. Space and `?` do not count: Space presses a button or scrolls the page, `?` shows
 * the shortcuts.
 */
export const isTyped = ({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean =>
  !ctrlKey && !metaKey && !altKey && !isComposing && [...key].length === 1 && key !== ' ' && key !== shortcutsKey

/**
 * Whether a key pressed anywhere on the page is meant for the field of a composer: it types a character or pastes, and
 * nothing else handles it. If the field is focused now, the browser inserts the character into it.
 */
export function isMeantFor(field: HTMLElement, event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented, target } = event
  if (defaultPrevented || isComposing || altKey || !(target instanceof Element) || takesKeys(target)) return false
  const pastes = (ctrlKey || metaKey) && key === 'v'
  if (!pastes && !isTyped(event)) return false
  // Each pane has its own field.
  return target.closest('aside') === field.closest('aside')
}
