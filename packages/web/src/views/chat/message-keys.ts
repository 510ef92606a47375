const steps: Partial<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 }

/** Keys of a timeline: the arrow keys lead from the message with the focus to its neighbours. */
export function toNextMessage(event: KeyboardEvent & { currentTarget: Element }): void {
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
