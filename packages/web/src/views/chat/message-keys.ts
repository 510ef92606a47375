const steps: Partial<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 }

/** Handles the arrow keys in a timeline: from a message, they move the focus to the previous or next one. */
export function onArrowKey(event: KeyboardEvent & { currentTarget: Element }): void {
  const { key, altKey, ctrlKey, metaKey, shiftKey, target, currentTarget } = event
  const step = steps[key]
  if (step === undefined || altKey || ctrlKey || metaKey || shiftKey) return
  const messages = [...currentTarget.querySelectorAll('article')]
  const at = messages.findIndex((message) => message === target)
  const next = at < 0 ? undefined : messages[at + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
