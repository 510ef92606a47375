import { ownPath } from '../state/own-path.ts'
import { goTo } from '../state/router.ts'

/**
 * Answers the service worker that this page shows the chat, and opens what it sends: the URL of a clicked notification.
 * Until the returned function is called.
 */
export function followNotificationClicks(worker: EventTarget | undefined): () => void {
  const follow = (event: Event) => {
    const { data, ports } = event as MessageEvent<{ goTo?: unknown }>
    // A message with a port asks whether the chat is shown here.
    if (ports[0]) return ports[0].postMessage({})
    if (typeof data.goTo !== 'string') return
    const { pathname, search } = new URL(data.goTo)
    const path = ownPath(pathname + search, location.origin)
    if (path !== undefined) goTo(path)
  }
  worker?.addEventListener('message', follow)
  return () => worker?.removeEventListener('message', follow)
}
