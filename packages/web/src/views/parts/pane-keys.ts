import type { Attachment } from 'svelte/attachments'
import { on } from 'svelte/events'

/**
 * Creates an attachment for a side pane: Escape closes the pane. When the pane disappears with the focus, the focus
 * returns to the element that had it when the attachment was created. Create it before the pane is focused.
 */
export function paneKeys(close: () => void): Attachment<HTMLElement> {
  const before = document.activeElement
  return (pane) => {
    const off = on(pane, 'keydown', (event) => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return
      event.preventDefault()
      close()
    })
    return () => {
      off()
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (isLost && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }
}
