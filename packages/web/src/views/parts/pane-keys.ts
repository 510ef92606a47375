import type { Attachment } from 'svelte/attachments'
import { on } from 'svelte/events'

/**
 * For a pane beside the room: Escape in it closes it, and whoever is in it when it goes is led back to where they came from. Asked for
 * before the pane takes the focus.
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
