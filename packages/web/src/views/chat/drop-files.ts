import type { Attachment } from 'svelte/attachments'

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false

/** `may`: whether files are accepted. The element has the class `dropping` while files are dragged over it. */
export const dropFiles =
  (may: () => boolean, take: (files: FileList) => void): Attachment<HTMLElement> =>
  (element) => {
    const removed = new AbortController()
    const on = (kind: 'dragover' | 'dragleave' | 'drop', listener: (event: DragEvent) => void) =>
      element.addEventListener(kind, listener, { signal: removed.signal })
    on('dragover', (event) => {
      if (!hasFiles(event) || !may()) return
      event.preventDefault()
      element.classList.add('dropping')
    })
    on('dragleave', ({ relatedTarget }) => {
      if (!element.contains(relatedTarget as Node | null)) element.classList.remove('dropping')
    })
    on('drop', (event) => {
      element.classList.remove('dropping')
      if (hasFiles(event) && event.dataTransfer && may()) take(event.dataTransfer.files)
    })
    return () => removed.abort()
  }

/** Ignores files dropped elsewhere; the browser would otherwise navigate to them. */
export function preventNavigation(event: DragEvent): void {
  if (!hasFiles(event)) return
  if (event.type === 'dragover' && !event.defaultPrevented && event.dataTransfer) event.dataTransfer.dropEffect = 'none'
  event.preventDefault()
}
